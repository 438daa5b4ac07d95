// Mask videos: how much is filtered of each frame, as the luma of another video says.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/picture/weights.h"

namespace vidconv {

// Reads one, for frames that come in the order of their time. One thread.
class MaskVideo {
 public:
  virtual ~MaskVideo() = default;

  // The picture that is shown at a time, in microseconds since the beginning; before the first the
  // first, after the last the last. Of what is seen, until the next call. An earlier time than the
  // one before is read from the beginning. Throws Error(input).
  virtual const Weights& at(std::int64_t time) = 0;
};

// Whoever knows how to read them. Any thread.
class MaskVideos {
 public:
  struct Size {
    int width = 0, height = 0;
  };
  virtual ~MaskVideos() = default;

  // Of its pictures, as they are seen; read once. Throws Error where it is no mask.
  virtual Size size(const std::string& path) = 0;
  // Which size() has found to be one. Throws Error.
  virtual std::unique_ptr<MaskVideo> open(const std::string& path) = 0;
};

}  // namespace vidconv
