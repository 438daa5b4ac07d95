// Channel: joins two stages by a bounded queue that its writers can close and anybody can cancel.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace vidconv {

// Every member is thread-safe.
template <class T>
class Channel {
 public:
  // `capacity` is how many items may wait, at least 1.
  explicit Channel(std::size_t capacity) : ring_(capacity) {}

  // Blocks while the channel is full. Returns false, and drops the item, where it was closed or
  // cancelled.
  bool push(T item) {
    std::unique_lock lock(mutex_);
    writable_.wait(lock, [&] { return ended_ || count_ < ring_.size(); });
    if (ended_) return false;
    ring_[(first_ + count_++) % ring_.size()] = std::move(item);
    lock.unlock();
    readable_.notify_one();
    return true;
  }

  // Blocks while the channel is empty. Returns none where it was cancelled, or closed and is empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    readable_.wait(lock, [&] { return ended_ || count_ > 0; });
    if (count_ == 0) return std::nullopt;
    std::optional<T> item = std::exchange(ring_[first_], std::nullopt);
    first_ = (first_ + 1) % ring_.size();
    --count_;
    lock.unlock();
    writable_.notify_one();
    return item;
  }

  // Ends the input: items that wait can still be popped.
  void close() { end(false); }
  // Drops the items that wait and wakes everyone.
  void cancel() { end(true); }

 private:
  void end(bool drop) {
    std::vector<std::optional<T>> dropped;  // destroyed outside the lock
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      if (drop) {
        dropped.swap(ring_);
        count_ = 0;
      }
    }
    readable_.notify_all();
    writable_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable readable_, writable_;
  std::vector<std::optional<T>> ring_;  // allocated once: no item costs an allocation
  std::size_t first_ = 0, count_ = 0;   // the waiting items
  bool ended_ = false;
};

}  // namespace vidconv
