// The codes that a colour has in a video, for filters that fill.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/filter/filter.h"
#include "kernels/light/light.h"
#include "kernels/spec/parse.h"
#include "pipeline/av/format.h"
#include "pipeline/av/video.h"
#include "pipeline/base/notice.h"

namespace vidconv {

// How codes mean colours, as far as one colour is concerned.
struct ColourCodes {
  bool limited = false;  // black is 16 and white 235, at 8 bits
  // The shares of red, green and blue in luma; their sum is the whole.
  std::int64_t red = 2126, green = 7152, blue = 722;
  // Where samples are light: how signals encode it.
  std::optional<Transfer> light = {};
};

// Looks at a video that these filters are for. Where one fills with a colour that is not grey and
// the video does not say its matrix, the usual one is assumed and `notify` hears of it. Throws
// Error(filter_spec) where that matrix is not known here.
ColourCodes colour_codes(std::span<const FilterSpec> chain, const VideoInfo& video,
                         const Notify& notify);

// The sample of a component that shows the colour: a code, to the nearest, ties upward, or a float.
// Alpha is opaque.
double sample_of(const Colour& colour, const Component& component, const ColourCodes& codes);

}  // namespace vidconv
