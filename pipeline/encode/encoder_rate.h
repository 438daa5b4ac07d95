// Quality or rate: which options of an encoder control the size of what it makes.
#pragma once

#include <string>
#include <vector>

#include "pipeline/encode/encoder_choice.h"

namespace vidconv {

struct EncoderOption {
  std::string key, value;
  std::string shown;  // as it was given: "`crf`=20"; where it was not, key=value
};

// The options that the encoder is set with, the one that decides over quality or rate first, then
// the defaults that the user's do not replace, then the user's. Throws Error(encoder_option) where
// one of them would have no effect beside another.
std::vector<EncoderOption> encoder_options(const EncoderChoice& choice,
                                           const EncoderOptions& options, const VideoInfo& video);

// Whether the container says when pictures are shown that are decoded before others: MXF, as FFmpeg
// writes it, does so of MPEG-2 alone.
bool tells_order(const EncoderChoice& choice);

// Whether the user has asked an encoder of two kinds for no loss.
bool asks_for_no_loss(const EncoderOptions& options);

// For people: "libx264 crf=23 preset=medium".
std::string describe(const EncoderChoice& choice, const std::vector<EncoderOption>& options);

}  // namespace vidconv
