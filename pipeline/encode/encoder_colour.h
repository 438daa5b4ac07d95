// Decides the colours that an encoder is told: if a file cannot say the video's, pictures are
// converted to what players then assume, or the loss is named.
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
  bool changes_samples = false;  // even of pictures in this pixel format
  // For people, empty where there is nothing to say: what is converted because it cannot be said
  // ("full range to limited"), and what is lost ("primaries bt2020").
  std::string converted, lost;
  // For people: the assumption in a conversion to or from YUV, "matrix bt709, limited range"; else
  // empty.
  std::string assumed;
};

// Returns the colours for pictures of `coded`, which is in the table or can be converted to;
// `asked` is the range that the user has chosen, or unspecified.
CodedColours coded_colours(const EncoderChoice& choice, const VideoInfo& video,
                           const PixelFormat& coded, AVColorRange asked);

}  // namespace vidconv
