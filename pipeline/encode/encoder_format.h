// The pixel format in which an encoder gets its frames.
#pragma once

#include <string>

#include "pipeline/av/video.h"
#include "pipeline/encode/encoder_choice.h"

namespace vidconv {

// The one of that name, and the range of samples that the name says. Throws Error(usage) where
// there is none, or the encoder does not take it, or not for a picture of this size.
const PixelFormat& format_named(const EncoderChoice& choice, const VideoInfo& video,
                                const std::string& name, AVColorRange& range);

// Whether the encoder takes it as it is; of bare frames, whether the container has a name for it.
bool takes(const EncoderChoice& choice, const PixelFormat& format);

// `from` where the encoder takes it, else what loses least of it: first of the formats that keep
// every bit; none with `alpha` where that is false. Throws Error(output) where FFmpeg can convert
// to none.
const PixelFormat& nearest_format(const EncoderChoice& choice, const PixelFormat& from,
                                  bool alpha = true);

// What `video` is coded in where nothing is said: that one, but for pictures and RGB the 4:2:0 that
// players of the codec decode, unless nothing shall be lost; and where the size is odd and the
// encoder does not take half a pixel of chroma, with more of it.
const PixelFormat& usual_format(const EncoderChoice& choice, const VideoInfo& video, bool lossless);

// Whether the two differ in nothing but where samples lie.
bool same_samples(const PixelFormat& a, const PixelFormat& b);

// Whether bits, colour or transparency get lost, beyond rounding. `depth`: bits that are kept.
bool loses(const PixelFormat& from, const PixelFormat& to, int depth);

}  // namespace vidconv
