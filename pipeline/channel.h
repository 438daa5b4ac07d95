// Channel: what joins two stages; a bounded queue that can be closed by its writers and cancelled
// by anybody.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace vidconv {

// Every member may be called from any thread.
template <class T>
class Channel {
 public:
  // `capacity`: how many items may wait, at least 1.
  explicit Channel(std::size_t capacity) : capacity_(capacity) {}

  // Blocks while the channel is full. False where it was closed or cancelled; the item is dropped.
  bool push(T item) {
    std::unique_lock lock(mutex_);
    writable_.wait(lock, [&] { return ended_ || items_.size() < capacity_; });
    if (ended_) return false;
    items_.push_back(std::move(item));
    lock.unlock();
    readable_.notify_one();
    return true;
  }

  // Blocks while the channel is empty. None where it was cancelled, or closed and is empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    readable_.wait(lock, [&] { return ended_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    lock.unlock();
    writable_.notify_one();
    return item;
  }

  // No more items: what waits can still be popped.
  void close() { end(false); }
  // Drops what waits and wakes everyone.
  void cancel() { end(true); }

 private:
  void end(bool drop) {
    std::deque<T> dropped;  // destroyed outside the lock
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      if (drop) dropped.swap(items_);
    }
    readable_.notify_all();
    writable_.notify_all();
  }

  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable readable_, writable_;
  std::deque<T> items_;
  bool ended_ = false;
};

}  // namespace vidconv
