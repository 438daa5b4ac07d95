// Pools memory for frames: a frame's planes share one allocation, which is reused when the frame is
// gone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "pipeline/av/frame_layout.h"

namespace vidconv {

// Names a set of NUMA nodes of the host: bit n is node n; 0 means no preference.
using Nodes = std::uint64_t;

// Describes where frames live: ordinary host memory, pinned memory that devices copy from, or a
// device's own memory.
struct FrameMemory {
  std::string_view name;  // "plain", "pinned", "device memory"
  // Thread-safe. Returns memory aligned to 64 bytes or more, or nullptr where memory is out. Pinned
  // memory comes from `nodes` where it can, interleaved where there are several; other kinds ignore
  // them.
  std::byte* (*allocate)(std::size_t bytes, Nodes nodes) noexcept;
  void (*release)(std::byte* memory) noexcept;
  Nodes nodes = 0;
  Rows rows = Rows::close;  // how its frames are laid out; apart where a CPU filters them
};
extern const FrameMemory plain_memory;

// Allocates whole pages for plain_memory.release(), shared with nothing else; nullptr where memory
// is out. Large blocks use large pages if the system has them: fewer page faults at first touch,
// fewer TLB misses ever after.
std::byte* allocate_pages(std::size_t bytes) noexcept;

// Hands out frames of one layout. A frame's memory comes back when its last reference is dropped,
// by anyone: a decoder that still predicts from it, an encoder's look-ahead. Frames may outlive the
// pool. The pool grows when all its memory is in use, so its size is the largest number of frames
// ever in flight, which the channels bound.
class FramePool {
 public:
  FramePool(const FrameLayout& layout, const FrameMemory& memory);
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  // Returns a writable frame with data, linesize, buf[0], format and size set; its contents are
  // undefined. Thread-safe. Throws Error(memory) where memory is out. A frame that comes back as
  // the only reference to its memory is reused as it is, so that no frame costs an allocation.
  FramePtr get();
  // Gives `frame`, which has no buffers yet, memory of the pool; returns false where memory is out.
  // Keeps width, height and format. Throws nothing: decoders call it.
  bool fill(AVFrame& frame) noexcept;
  // Allocates until there are `frames` frames, so that none is allocated during the work.
  void reserve(int frames);

  // Returns whether the frame's memory belongs to this pool.
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

// Serves a stream whose frames may change: it always has the last layout that was asked for.
// Thread-safe.
class ChangingPool {
 public:
  explicit ChangingPool(const FrameMemory& memory) : memory_(memory) {}

  std::shared_ptr<FramePool> of(const FrameLayout& layout);
  // Returns what FramePool does, for the last layout.
  bool owns(const AVFrame& frame) const;
  std::size_t bytes() const;

 private:
  const FrameMemory memory_;
  mutable std::mutex mutex_;
  std::shared_ptr<FramePool> pool_;
};

}  // namespace vidconv
