// Formats of samples of which nothing is known but what they look like: arrays of numbers.
#pragma once

#include <optional>
#include <string_view>

#include "pipeline/av/format.h"

namespace vidconv {

// "u8", "u9" to "u16" (the bits, in the lower end of two bytes) or "f32", with "xN" behind it for N
// samples a pixel, side by side in one plane, or "pN" for N planes; N from 1 to most_bare_samples.
// All components are of Kind::colour and named 'C'; `id` is AV_PIX_FMT_NONE, so that nothing of
// FFmpeg's takes it. None for other words.
std::optional<PixelFormat> bare_format(std::string_view words);
constexpr int most_bare_samples = 4096;

}  // namespace vidconv
