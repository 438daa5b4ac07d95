// Chooses the options that control an encoder's quality or rate.
#pragma once

#include <string>
#include <vector>

#include "pipeline/encode/encoder_choice.h"

namespace vidconv {

struct EncoderOption {
  std::string key, value;
  std::string shown;  // as given: "`crf`=20"; defaults as key=value
};

// Returns the options to set on the encoder: first the one that decides over quality or rate, then
// defaults that the user does not replace, then the user's own. Throws Error(encoder_option) where
// one of them would have no effect beside another.
std::vector<EncoderOption> encoder_options(const EncoderChoice& choice,
                                           const EncoderOptions& options, const VideoInfo& video);

// Returns whether the container says when pictures are shown that are decoded before others: MXF,
// as FFmpeg writes it, does so of MPEG-2 alone.
bool tells_order(const EncoderChoice& choice);

// Returns whether the user has asked for lossless output.
bool asks_for_no_loss(const EncoderOptions& options);

// Describes it for people: "libx264 crf=23 preset=medium".
std::string describe(const EncoderChoice& choice, const std::vector<EncoderOption>& options);

}  // namespace vidconv
