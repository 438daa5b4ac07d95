// Memory for frames: every plane of a frame in one allocation, used again when the frame is gone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "pipeline/av/frame_layout.h"

namespace vidconv {

// NUMA nodes of the host: bit n is node n; none: wherever the system likes.
using Nodes = std::uint64_t;

// Where frames live: ordinary memory of the host, pinned memory that devices copy from, or a
// device's own.
struct FrameMemory {
  std::string_view name;  // "plain", "pinned", "device memory"
  // Called from any thread. Aligned to 64 bytes or more; nullptr where memory is out. Pinned memory
  // comes from the nodes where it can, in turns where they are several; others do not look at them.
  std::byte* (*allocate)(std::size_t bytes, Nodes nodes) noexcept;
  void (*release)(std::byte* memory) noexcept;
  Nodes nodes = 0;
  Rows rows = Rows::close;  // what frames in it should have; apart where a CPU filters them
};
extern const FrameMemory plain_memory;

// For plain_memory.release(): whole pages, of which nothing else has a part; nullptr where memory
// is out. Where it is much, large pages if the system has them: fewer faults when they are first
// touched, fewer look-ups of addresses ever after.
std::byte* allocate_pages(std::size_t bytes) noexcept;

// Hands out frames of one layout. A frame's memory comes back when its last reference is dropped,
// by whoever: a decoder that still predicts from it, an encoder that looks ahead. It may outlive
// the pool. The pool grows when all its memory is in use, so that its size is the largest number of
// frames that were ever in flight, which the channels bound.
class FramePool {
 public:
  FramePool(const FrameLayout& layout, const FrameMemory& memory);
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  // A writable frame with data, linesize, buf[0], format and size set, and contents undefined.
  // Any thread. Throws Error(device) where memory is out. One that comes back while nobody else
  // refers to its memory is handed out again as it is, so that no frame costs an allocation.
  FramePtr get();
  // The same, into a frame that has no buffers yet; false where memory is out. Keeps width, height
  // and format. Throws nothing: decoders call it.
  bool fill(AVFrame& frame) noexcept;
  // Allocates until `frames` frames exist, so that none is allocated in the middle of the work.
  void reserve(int frames);

  // Whether the frame's memory is this pool's.
  bool owns(const AVFrame& frame) const;

  const FrameLayout& layout() const { return layout_; }
  int allocated() const;  // frames allocated so far
  std::size_t bytes() const { return static_cast<std::size_t>(allocated()) * layout_.bytes; }

 private:
  struct Arena;
  class Home;
  void point_into_buffer(AVFrame& frame) const;

  FrameLayout layout_;
  Arena* arena_;  // lives until the last buffer is back
  AVBufferPool* pool_;
  std::shared_ptr<Home> home_;
};

// A pool for a stream whose frames may change: it always has the last layout that was asked for.
// Any thread.
class ChangingPool {
 public:
  explicit ChangingPool(const FrameMemory& memory) : memory_(memory) {}

  std::shared_ptr<FramePool> of(const FrameLayout& layout);
  // As of FramePool, for the last layout.
  bool owns(const AVFrame& frame) const;
  std::size_t bytes() const;

 private:
  const FrameMemory memory_;
  mutable std::mutex mutex_;
  std::shared_ptr<FramePool> pool_;
};

}  // namespace vidconv
