// What FFmpeg's GIF muxer does not write of a file: its comment.
#pragma once

#include <string_view>

#include "pipeline/av/av.h"

namespace vidconv {

// Puts a comment into the first packet of a GIF, behind the header that it begins with. Leaves a
// packet alone that has none. Throws Error(memory).
void add_gif_comment(AVPacket& first, std::string_view comment);

}  // namespace vidconv
