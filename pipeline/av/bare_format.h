// Describes formats of bare samples, of which nothing is known but their layout: arrays of numbers.
#pragma once

#include <optional>
#include <string_view>

#include "pipeline/av/format.h"

namespace vidconv {

// Parses "u8", "u9" to "u16" (the bits, in the lower end of two bytes) or "f32", followed by "xN"
// for N interleaved samples a pixel in one plane, or "pN" for N planes; N is 1 to
// most_bare_samples. All components are of Kind::colour and named 'C'; `id` is AV_PIX_FMT_NONE, so
// that no function of FFmpeg takes it. Returns none for other words.
std::optional<PixelFormat> bare_format(std::string_view words);
constexpr int most_bare_samples = 4096;

}  // namespace vidconv
