// Tries whether a decoder goes from the input's own packets to those of an encoder, and back.
#pragma once

#include "pipeline/av/av.h"
#include "pipeline/av/video.h"
#include "pipeline/encode/encoder.h"
#include "pipeline/shards/stream_fit.h"

namespace vidconv {

// Encodes one picture with `encoder` and decodes it between two times `key`, a key packet of
// `stream`, with one decoder that knows the joined header alone. Throws Error(output) where
// pictures are missing, where those of `key` are not the same as without the other in between, or
// where the encoder's have another size, format, profile, shape of pixels or colours.
void try_seam(const AVPacket& key, const AVCodecParameters& stream, const VideoInfo& video,
              Encoder& encoder, const StreamFit& fit);

}  // namespace vidconv
