// ColourConverter makes red, green and blue, or grey, of any picture of the table, as near to real
// arithmetic as floats are. swscale is not used for that: its deep results are dark by up to one
// code of 8 bits (white of 8-bit YUV becomes 0.996 of white).
#pragma once

#include <memory>
#include <vector>

#include "kernels/convolver/thread_pool.h"
#include "pipeline/av/frame.h"
#include "pipeline/av/video.h"

namespace vidconv {

// docs/numerics.md, "Frames in other formats", defines the results. Belongs to one thread.
class ColourConverter {
 public:
  // Returns whether results have this format: all components are colours, or grey, or alpha.
  static bool makes(const PixelFormat& to);

  // `to` is one that it makes; `video` says what frames do not. `threads`: at least 1.
  ColourConverter(const VideoInfo& video, const PixelFormat& to, int threads);

  // Fills `to`, of the same size as `from` and of the format, in full range. Throws Error(usage)
  // for a matrix that has no way to red, green and blue.
  void convert(const Frame& from, Frame& to) const;

 private:
  const VideoInfo video_;
  const PixelFormat& to_;
  const std::shared_ptr<ThreadPool> pool_;
};

}  // namespace vidconv
