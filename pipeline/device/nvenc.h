// NVENC: filtered frames of a CUDA device on their way to an encoder there, which never leave it.
// No CUDA header here.
#pragma once

#include <memory>

#include "pipeline/av/av.h"
#include "pipeline/av/frame.h"

namespace vidconv {

// The pictures of one encoder: surfaces of libavutil's in the layout that the encoder takes, as
// many as it holds at once, used again when it lets go of them.
class NvencPictures {
 public:
  // For frames of `format` and this size in memory of cuda:`device`; `layout` as device_layout()
  // gives it. Throws Error(device).
  NvencPictures(int device, const PixelFormat& format, AVPixelFormat layout, int width, int height);
  ~NvencPictures();
  NvencPictures(const NvencPictures&) = delete;
  NvencPictures& operator=(const NvencPictures&) = delete;

  // For AVCodecContext::hw_frames_ctx; belongs to this object, which outlives the encoder.
  AVBufferRef* surfaces() const;
  // The same picture and properties on a surface. Waits for the copy, some 30 us for 3840x2160
  // on an H200, so that the frame's memory is free at once; this is the encoder's own thread.
  // Throws Error(device).
  FramePtr take(const Frame& frame);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace vidconv
