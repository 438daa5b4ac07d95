// Writes the comment of a GIF file, which FFmpeg's muxer does not write.
#pragma once

#include <string_view>

#include "pipeline/av/av.h"

namespace vidconv {

// Puts a comment into the first packet of a GIF, behind the file's header in it. Does nothing to a
// packet without a header. Throws Error(memory).
void add_gif_comment(AVPacket& first, std::string_view comment);

}  // namespace vidconv
