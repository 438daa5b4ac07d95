// The colours that an encoder is told of: what a file cannot say of the video's is converted to
// what players assume then, or named.
#pragma once

#include <string>

#include "pipeline/av/video.h"
#include "pipeline/encode/encoder_choice.h"

namespace vidconv {

struct CodedColours {
  AVColorRange range;
  AVColorSpace matrix;
  AVColorPrimaries primaries;
  AVColorTransferCharacteristic transfer;
  AVChromaLocation siting;
  bool changes_samples = false;  // of pictures that have the pixel format already
  // For people, empty where there is nothing to say: what cannot be said and is converted ("full
  // range to limited"), and what is lost ("primaries bt2020").
  std::string converted, lost;
  // What pictures are made with where they become YUV or stop being it: "matrix bt709, limited
  // range"; else empty.
  std::string assumed;
};

// Of pictures of `coded`, which is of the table or can be converted to; `asked` is their range
// where the user has chosen it.
CodedColours coded_colours(const EncoderChoice& choice, const VideoInfo& video,
                           const PixelFormat& coded, AVColorRange asked);

}  // namespace vidconv
