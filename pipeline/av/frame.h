// Frame: one picture of a video on its way through the pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "kernels/picture/plane.h"
#include "pipeline/av/av.h"
#include "pipeline/av/format.h"
#include "pipeline/av/frame_window.h"

namespace vidconv {

class SharedUpload;  // pipeline/filter/shared_uploads.h

// Wraps an AVFrame, move-only, whose visible picture lies in one allocation (AVFrame::buf[0]). The
// memory returns to its pool when the last reference is dropped.
class Frame {
 public:
  // `av` has a format of the table, its planes in one buffer, and pts in the stream's time base.
  // `number` counts the frames of the stream from 0.
  enum class Memory : std::uint8_t { host, device };
  Frame(FramePtr av, std::int64_t number, Memory memory = Memory::host);
  // Makes a frame derived from `original`, with its number and its video.
  Frame(FramePtr av, const Frame& original, Memory memory = Memory::host);

  std::int64_t number() const { return number_; }
  // Returns the frame's number within its own video, where several videos are numbered together.
  std::int64_t number_in_video() const { return number_in_video_; }
  // Returns the index of the frame's video among those of the source; processors keep it.
  std::size_t video() const { return video_; }
  void set_place(std::size_t video, std::int64_t number) { video_ = video, number_ = number; }
  // Returns the frames around it, where filters over time need them, and those of one such filter's
  // taps; nullptr otherwise. Frames that are derived from it have none.
  const std::shared_ptr<const FrameWindow>& window() const { return window_; }
  void set_window(std::shared_ptr<const FrameWindow> window) { window_ = std::move(window); }
  const std::shared_ptr<const FrameTaps>& taps() const { return taps_; }
  void set_taps(std::shared_ptr<const FrameTaps> taps) { taps_ = std::move(taps); }
  // Returns what outputs that filter the same frame have of it in a device's memory; nullptr where
  // it is for one alone. Neither derived frames nor other references have it, so that it goes when
  // the last output has filtered the frame.
  const std::shared_ptr<SharedUpload>& upload() const { return upload_; }
  void set_upload(std::shared_ptr<SharedUpload> upload) { upload_ = std::move(upload); }
  // Returns whether the frame is in memory of the CUDA device that decoded it: only the device may
  // access its samples.
  bool on_device() const { return memory_ == Memory::device; }
  const PixelFormat& format() const { return *format_; }
  int width() const { return av_->width; }
  int height() const { return av_->height; }

  const AVFrame& av() const { return *av_; }
  AVFrame& av() { return *av_; }
  // Gives the AVFrame away; afterwards this frame is empty and may only be destroyed or assigned
  // to.
  FramePtr release() { return std::move(av_); }
  // Returns another reference to the same memory, and to the same window.
  Frame share() const;

  // Return component i, as the table counts them.
  ConstBytePlane component(std::size_t i) const;
  BytePlane component(std::size_t i);

  // Return a visible row of plane p, format().row_bytes(p, width()) bytes long.
  const std::byte* row(int p, int y) const;
  std::byte* row(int p, int y);

  // Return the smallest range of bytes that holds every visible sample: one copy to a device moves
  // it.
  std::span<const std::byte> extent() const;
  std::span<std::byte> extent();
  // Returns component i within a copy of extent() that starts at `copy`, in any memory.
  BytePlane component_in(std::size_t i, std::byte* copy) const;
  // Moves the planes within this frame's memory so that its extent() is laid out as that of
  // `other`, a picture of the same size and format. The samples are lost. Returns false, and
  // changes nothing, where there is no room or where rows would not begin at multiples of 64 bytes.
  bool lie_as(const Frame& other);

 private:
  FramePtr av_;
  const PixelFormat* format_;
  std::int64_t number_, number_in_video_ = number_;
  std::size_t video_ = 0;
  Memory memory_;
  std::shared_ptr<const FrameWindow> window_;
  std::shared_ptr<const FrameTaps> taps_;
  std::shared_ptr<SharedUpload> upload_;
};

// Reverses the bytes of each word of 2 or 4; `to` may be where `from` is.
void swap_bytes(std::span<const std::byte> from, std::byte* to, int word);

// Returns whether the visible samples are equal.
bool equal_pictures(const Frame& a, const Frame& b);

}  // namespace vidconv
