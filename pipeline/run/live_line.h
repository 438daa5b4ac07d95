// LiveLine: joins the decoder and the filter where frames come in their own time and are useful
// only for so long. It takes the place of a Channel.
//
// The decoder never waits, so that nothing piles up in front of it, where nobody could count it.
// Frames wait here. Those that would be late in the output are dropped and counted, except the
// newest: a late picture is better than none. No more frames are in flight behind it than come
// within the latency, and fewer while they are late.
//
// It uses this host's clock only, never the frames' times: a source whose clock is slightly fast or
// slow is followed for as long as it runs.
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

// A queue of at most `capacity` items, allocated once.
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

// Every member is thread-safe.
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

  // Does not block: if too many wait already, the oldest is dropped. Returns false where the line
  // was closed or cancelled; the item is dropped then.
  bool push(T item) {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return false;
      if (waiting_.full()) drop_oldest();
      const std::chrono::duration<double> waited(limits_.window);
      waiting_.push(
          {std::move(item), now_() - std::chrono::duration_cast<Clock::duration>(waited)});
      log_.most_waiting = std::max(log_.most_waiting, static_cast<std::int64_t>(waiting_.size()));
    }
    changed_.notify_all();
    return true;
  }

  // Returns the oldest item that will not be late, else the newest. Blocks until there is one and
  // the number in flight is below the allowed one. Returns none where the line was cancelled, or
  // closed and is empty.
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

  // Tells that the oldest item in flight has reached the output.
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

  // Ends the input: items that wait can still be popped.
  void close() { end(false); }
  // Wakes everyone and gives up the items that wait.
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
  // After so many frames in time, another one may be in flight.
  static constexpr int trusted_after = 64;

  static double seconds_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  }

  void drop_oldest() {
    waiting_.pop();
    ++log_.dropped;
  }

  // Frames in flight wait for those before them, so fewer are allowed while they are late.
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
  mutable std::mutex mutex_;  // guards all below
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
