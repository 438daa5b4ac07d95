// NVENC encodes filtered frames on the CUDA device, which they never leave. No CUDA header here.
#pragma once

#include <memory>

#include "pipeline/av/av.h"
#include "pipeline/av/frame.h"

namespace vidconv {

// The pictures of one encoder: libavutil's surfaces in the layout that the encoder takes, as many
// as it holds at once, reused when it lets go of them.
class NvencPictures {
 public:
  // `format` and size are those of the frames in memory of cuda:`device`; `layout` is
  // device_layout()'s. Throws Error(device).
  NvencPictures(int device, const PixelFormat& format, AVPixelFormat layout, int width, int height);
  ~NvencPictures();
  NvencPictures(const NvencPictures&) = delete;
  NvencPictures& operator=(const NvencPictures&) = delete;

  // Returns the AVCodecContext::hw_frames_ctx, which belongs to this object and outlives the
  // encoder.
  AVBufferRef* surfaces() const;
  // Returns the picture with its properties on a surface. Blocks for the copy, some 30 us for
  // 3840x2160 on an H200, so that the frame's memory is free at once; this is the encoder's own
  // thread. Throws Error(device).
  FramePtr take(const Frame& frame);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace vidconv
