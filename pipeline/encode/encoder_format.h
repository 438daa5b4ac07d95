// Chooses the pixel format in which an encoder gets its frames.
#pragma once

#include <string>

#include "pipeline/av/video.h"
#include "pipeline/encode/encoder_choice.h"

namespace vidconv {

// Returns the format with that name, and sets the range that the name implies. Throws Error(usage)
// where there is none, or the encoder does not take it, or not for a picture of this size.
const PixelFormat& format_named(const EncoderChoice& choice, const VideoInfo& video,
                                const std::string& name, AVColorRange& range);

// Returns whether the encoder takes it as it is; for bare frames, whether the container has a name
// for it.
bool takes(const EncoderChoice& choice, const PixelFormat& format);

// Returns `from` where the encoder takes it, else the format that loses least of it: formats that
// keep every bit come first; none has transparency if not `alpha`. Throws Error(output) where
// FFmpeg can convert to none.
const PixelFormat& nearest_format(const EncoderChoice& choice, const PixelFormat& from,
                                  bool alpha = true);

// Returns the format for `video` where the user chooses none: its nearest one. Pictures and RGB
// become the 4:2:0 that players of the codec decode, unless the output is lossless. An odd size
// gets more chroma where the encoder takes no half pixels of it.
const PixelFormat& usual_format(const EncoderChoice& choice, const VideoInfo& video, bool lossless);

// Returns whether the two differ only in where samples lie.
bool same_samples(const PixelFormat& a, const PixelFormat& b);

// Returns whether bits, colour or transparency get lost, beyond rounding; `depth` bits are kept.
bool loses(const PixelFormat& from, const PixelFormat& to, int depth);

}  // namespace vidconv
