// Tells which videos may be encoded in shards.
#pragma once

#include "pipeline/encode/encoder_choice.h"

namespace vidconv {

// Returns whether nothing that the encoder does after a key frame depends on what came before it.
bool encodes_in_parts(const EncoderChoice& choice);

// Throws Error(usage) where shards would depend on each other, because of the encoder or one of the
// options.
void check_shards(const EncoderChoice& choice, const EncoderOptions& options);

}  // namespace vidconv
