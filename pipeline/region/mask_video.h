// Mask videos say by their luma how much is filtered of each frame of another video.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/picture/weights.h"

namespace vidconv {

// Reads a mask video for frames that come in order of time. Not thread-safe.
class MaskVideo {
 public:
  virtual ~MaskVideo() = default;

  // Returns the picture shown at `time`, microseconds since the beginning, as displayed: the first
  // one before the beginning, the last one after the end. Valid until the next call. For a time
  // earlier than the last one, reads from the beginning again. Throws Error(input).
  virtual const Weights& at(std::int64_t time) = 0;
};

// Reads mask videos. Thread-safe.
class MaskVideos {
 public:
  struct Size {
    int width = 0, height = 0;
  };
  virtual ~MaskVideos() = default;

  // Returns the size of its pictures as displayed; reads it once. Throws Error if it is no mask.
  virtual Size size(const std::string& path) = 0;
  // Opens a video that size() has accepted. Throws Error.
  virtual std::unique_ptr<MaskVideo> open(const std::string& path) = 0;
};

}  // namespace vidconv
