// Pictures that an encoder predicts from, which are what its decoder will make: from FFmpeg 6 on
// some encoders hand them out, which costs a copy, where decoding their packets again costs more.
#pragma once

#include "pipeline/av/av.h"

namespace vidconv {

// Before the encoder's options are set, its pixel format being known: those may take it back. Does
// nothing where no such pictures can be had.
void ask_for_pictures(AVCodecContext& encoder);
// That of the packet that the encoder has given last, without a time; null where there is none.
FramePtr made_picture(AVCodecContext& encoder);

}  // namespace vidconv
