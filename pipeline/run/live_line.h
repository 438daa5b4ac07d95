// LiveLine: what joins the decoder and the filter where frames come in their own time and are worth
// something for so long only. It takes the place of a Channel.
//
// Whoever decodes is never kept waiting, so that nothing piles up in front of it, where nobody
// could count it. Frames wait here; those that would be late in the output are dropped and counted,
// but for the newest: a late picture is better than none. Behind it no more frames are on their way
// than come within the latency, fewer while they are late.
//
// Only this host's clock is looked at, never the frames' times: a source whose clock is fast or
// slow by a little is followed for as long as it likes.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/base/stopwatch.h"
#include "pipeline/run/latency.h"

namespace vidconv {

// A queue of so many items at most, which are allocated once.
template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity) : items_(capacity) {}

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == items_.size(); }
  const T& front() const { return *items_[first_]; }
  void push(T item) { items_[(first_ + count_++) % items_.size()] = std::move(item); }
  T pop() {
    T item = std::move(*items_[first_]);
    items_[first_].reset();
    first_ = (first_ + 1) % items_.size();
    --count_;
    return item;
  }

 private:
  std::vector<std::optional<T>> items_;
  std::size_t first_ = 0, count_ = 0;
};

// Every member may be called from any thread.
template <class T>
class LiveLine {
 public:
  using Now = std::function<Clock::time_point()>;

  explicit LiveLine(const LatencyLimits& limits, Now now = Clock::now)
      : limits_(limits),
        now_(std::move(now)),
        waiting_(limits.waiting),
        in_flight_(limits.in_flight),
        allowed_(limits.in_flight),
        log_(limits.seconds) {}

  // Never waits: where too many do already, the oldest is dropped. False where the line was closed
  // or cancelled; the item is dropped then.
  bool push(T item) {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return false;
      if (waiting_.full()) drop_oldest();
      waiting_.push({std::move(item), now_()});
      log_.most_waiting = std::max(log_.most_waiting, static_cast<std::int64_t>(waiting_.size()));
    }
    changed_.notify_all();
    return true;
  }

  // The oldest that will not be late, else the newest. Waits until there is one and fewer than are
  // allowed are in flight. None where the line was cancelled, or closed and is empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return cancelled_ || (waiting_.empty() ? ended_ : in_flight_.size() < allowed_);
    });
    if (cancelled_ || waiting_.empty()) return std::nullopt;
    const Clock::time_point now = now_();
    while (waiting_.size() > 1 &&
           seconds_between(waiting_.front().came, now) + on_its_way_ > limits_.seconds)
      drop_oldest();
    Waiting first = waiting_.pop();
    in_flight_.push({first.came, now});
    log_.most_in_flight =
        std::max(log_.most_in_flight, static_cast<std::int64_t>(in_flight_.size()));
    return std::move(first.item);
  }

  // The oldest that is in flight is in the output.
  void finished() {
    {
      const std::lock_guard lock(mutex_);
      if (in_flight_.empty()) return;
      const Clock::time_point now = now_();
      const InFlight first = in_flight_.pop();
      on_its_way_ = seconds_between(first.left, now);
      const double age = seconds_between(first.came, now);
      log_.add(age);
      adapt(age);
    }
    changed_.notify_all();
  }

  // No more items: what waits can still be popped.
  void close() { end(false); }
  // Wakes everyone; what waits is given up.
  void cancel() { end(true); }

  LatencyLog log() const {
    const std::lock_guard lock(mutex_);
    return log_;
  }

 private:
  struct Waiting {
    T item;
    Clock::time_point came;
  };
  struct InFlight {
    Clock::time_point came, left;
  };
  // In time for so long, more may be on their way again.
  static constexpr int trusted_after = 64;

  static double seconds_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  }

  void drop_oldest() {
    waiting_.pop();
    ++log_.dropped;
  }

  // What is in flight waits for what is before it.
  void adapt(double age) {
    if (age > limits_.seconds) {
      allowed_ = std::max<std::size_t>(1, allowed_ - 1);
      in_time_ = 0;
    } else if (age > limits_.seconds / 2) {
      in_time_ = 0;
    } else if (++in_time_ == trusted_after) {
      allowed_ = std::min(limits_.in_flight, allowed_ + 1);
      in_time_ = 0;
    }
  }

  void end(bool cancel) {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      cancelled_ |= cancel;
    }
    changed_.notify_all();
  }

  const LatencyLimits limits_;
  const Now now_;
  mutable std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  Ring<Waiting> waiting_;
  Ring<InFlight> in_flight_;
  std::size_t allowed_;
  int in_time_ = 0;
  double on_its_way_ = 0;  // the last frame, from here to the output; seconds
  LatencyLog log_;
  bool ended_ = false, cancelled_ = false;
};

}  // namespace vidconv
