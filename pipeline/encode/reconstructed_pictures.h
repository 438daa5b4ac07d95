// Gets the reconstructed pictures that an encoder predicts from, which are what its decoder will
// make. From FFmpeg 6 on some encoders hand them out, which costs a copy; decoding their packets
// costs more.
#pragma once

#include "pipeline/av/av.h"

namespace vidconv {

// Asks for such pictures, if they can be had. The pixel format is known, but the encoder's options
// are not set yet: those may undo it.
void ask_for_pictures(AVCodecContext& encoder);
// Returns the picture of the packet that the encoder gave last, without a time; null where there is
// none.
FramePtr made_picture(AVCodecContext& encoder);

}  // namespace vidconv
