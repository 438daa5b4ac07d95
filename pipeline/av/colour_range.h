// Full and limited range: what it is where nothing is said, and samples from one to the other.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pipeline/av/frame.h"

namespace vidconv {

// Whether black is 0 and white the largest code, else 16 and 235 at 8 bits. Where nothing is said,
// YUV is limited, grey and RGB are full, as FFmpeg takes them.
bool is_full_range(AVPixelFormat format, AVColorRange said);

// Changes the range of pictures of YUV and grey in place: each sample is the exact value, rounded
// once, so that the colour shown is that of before within half a code.
class RangeChanger {
 public:
  // Samples of `format` have 8 to 16 bits.
  RangeChanger(const PixelFormat& format, bool to_full);

  void change(Frame& frame) const;

 private:
  const PixelFormat& format_;
  std::array<std::vector<std::uint16_t>, 2> words_;  // of luma and of chroma, by code
};

}  // namespace vidconv
