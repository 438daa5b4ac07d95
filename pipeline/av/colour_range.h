// Tells full from limited range, also where nothing is said, and converts samples between the two.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pipeline/av/frame.h"

namespace vidconv {

// Returns whether black is 0 and white the largest code, rather than 16 and 235 at 8 bits. Where
// nothing is said, YUV is limited, grey and RGB are full, as in FFmpeg.
bool is_full_range(AVPixelFormat format, AVColorRange said);

// Changes the range of YUV and grey pictures in place: each sample is the exact value, rounded
// once, so that the colour shown stays the same within half a code.
class RangeChanger {
 public:
  // Samples of `format` have 8 to 16 bits.
  RangeChanger(const PixelFormat& format, bool to_full);

  void change(Frame& frame) const;

 private:
  const PixelFormat& format_;
  std::array<std::vector<std::uint16_t>, 2> words_;  // tables for luma and for chroma, by code
};

}  // namespace vidconv
