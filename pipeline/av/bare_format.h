// Describes formats of pictures in memory that FFmpeg has none for: bare samples, of which nothing
// is known but their layout, and YUV of floats.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/av/format.h"

namespace vidconv {

// Parses "u8", "u9" to "u16" (the bits, in the lower end of two bytes) or "f32", followed by "xN"
// for N interleaved samples a pixel in one plane, or "pN" for N planes; N is 1 to
// most_bare_samples. All components are of Kind::colour and named 'C'; `id` is AV_PIX_FMT_NONE, so
// that no function of FFmpeg takes it. Returns none for other words.
std::optional<PixelFormat> bare_format(std::string_view words);
// Parses "yuv420pf32" and the like: the planes of FFmpeg's yuv420p, as floats. Luma is 0 to 1, and
// chroma -0.5 to 0.5. Returns none for other words.
std::optional<PixelFormat> yuv_float_format(const std::string& words);
constexpr int most_bare_samples = 4096;

}  // namespace vidconv
