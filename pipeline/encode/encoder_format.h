// The pixel format in which an encoder gets its frames.
#pragma once

#include <string>

#include "pipeline/av/format.h"

namespace vidconv {

// The one of that name, and the range of samples that the name says. Throws Error(usage) where
// there is none, or the encoder does not take it.
const PixelFormat& format_named(const AVCodec& encoder, const std::string& name,
                                AVColorRange& range);

// `from` where the encoder takes it, else what loses least of it: first of the formats that keep
// every bit. Throws Error(output) where FFmpeg can convert to none.
const PixelFormat& nearest_format(const AVCodec& encoder, const PixelFormat& from);

// Whether bits, colour or transparency get lost, beyond rounding. `depth`: bits that are kept.
bool loses(const PixelFormat& from, const PixelFormat& to, int depth);

}  // namespace vidconv
