// Which videos may be encoded in parts.
#pragma once

#include "pipeline/encode/encoder_choice.h"

namespace vidconv {

// Whether nothing that the encoder does depends on what came before a key frame.
bool encodes_in_parts(const EncoderChoice& choice);

// Throws Error(usage) where parts would depend on each other: by the encoder, or by one of the
// options.
void check_regions(const EncoderChoice& choice, const EncoderOptions& options);

}  // namespace vidconv
