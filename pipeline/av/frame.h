// Frame: one picture of a video, on its way through the pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/picture/plane.h"
#include "pipeline/av/av.h"
#include "pipeline/av/format.h"

namespace vidconv {

// An AVFrame, move-only, whose visible picture lies in one allocation (AVFrame::buf[0]). The memory
// goes back to its pool when the last reference is dropped.
class Frame {
 public:
  // `av` has its format in the table, its planes in one buffer, and pts in the stream's time base.
  // `number` counts the frames of the stream from 0.
  enum class Memory : std::uint8_t { host, device };
  Frame(FramePtr av, std::int64_t number, Memory memory = Memory::host);
  // What was made of `original`: has its number and its video.
  Frame(FramePtr av, const Frame& original, Memory memory = Memory::host);

  std::int64_t number() const { return number_; }
  // The same among those of its own video, where several are numbered together.
  std::int64_t number_in_video() const { return number_in_video_; }
  // Which of the videos that its source hands out; processors keep it.
  std::size_t video() const { return video_; }
  void set_place(std::size_t video, std::int64_t number) { video_ = video, number_ = number; }
  // In memory of the CUDA device that decoded it: only the device may look at its samples.
  bool on_device() const { return memory_ == Memory::device; }
  const PixelFormat& format() const { return *format_; }
  int width() const { return av_->width; }
  int height() const { return av_->height; }

  const AVFrame& av() const { return *av_; }
  AVFrame& av() { return *av_; }
  // Gives the AVFrame away; this frame is empty then and may only be destroyed or assigned to.
  FramePtr release() { return std::move(av_); }
  // Another reference to the same memory.
  Frame share() const;

  // Component i, as the table counts them.
  ConstBytePlane component(std::size_t i) const;
  BytePlane component(std::size_t i);

  // Visible rows of plane p, of format().row_bytes(p, width()) bytes each.
  const std::byte* row(int p, int y) const;
  std::byte* row(int p, int y);

  // The smallest range of bytes that holds every visible sample: what one copy to a device moves.
  std::span<const std::byte> extent() const;
  std::span<std::byte> extent();
  // Component i of a copy of extent() that starts at `copy`, in any memory.
  BytePlane component_in(std::size_t i, std::byte* copy) const;
  // Moves the planes, within the memory that this frame has, so that its extent() is laid out as
  // that of `other`, a picture of the same size and format. What they hold is lost. False, and
  // nothing has changed, where there is no room, or where rows would not begin at multiples of 64
  // bytes.
  bool lie_as(const Frame& other);

 private:
  FramePtr av_;
  const PixelFormat* format_;
  std::int64_t number_, number_in_video_ = number_;
  std::size_t video_ = 0;
  Memory memory_;
};

// Turns the bytes of each word of 2 or 4 around; `to` may be where `from` is.
void swap_bytes(std::span<const std::byte> from, std::byte* to, int word);

// Whether the visible samples are equal.
bool equal_pictures(const Frame& a, const Frame& b);

}  // namespace vidconv
