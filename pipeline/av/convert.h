// Converter: frames in another pixel format or colour range, by swscale.
#pragma once

#include <optional>

#include "pipeline/av/av.h"
#include "pipeline/av/format.h"
#include "pipeline/av/pool.h"

namespace vidconv {

// The matrix that is meant where nothing is said: high definition came with BT.709.
AVColorSpace usual_matrix(int height);

class Converter {
 public:
  // `range` and `matrix` of the result; unspecified: as in the frames that come, or what is usual
  // for the format.
  Converter(const PixelFormat& to, AVColorRange range, AVColorSpace matrix,
            const FrameMemory& memory);

  // From now on results have this size; until then, the size of what comes.
  void scale_to(int width, int height);

  // A new frame of the same properties. `from` may have any format of FFmpeg's; where it
  // is the wanted one already, samples are copied. Throws Error(internal).
  FramePtr convert(const AVFrame& from);

  std::size_t memory() const { return pool_ ? pool_->bytes() : 0; }

 private:
  const PixelFormat& to_;
  const AVColorRange range_;
  const AVColorSpace matrix_;
  const FrameMemory memory_;
  int width_ = 0, height_ = 0;  // of results; 0: as it comes
  std::optional<FramePool> pool_;
  SwsPtr scaler_;  // for frames like the last one
};

}  // namespace vidconv
