// Recognises pictures that are stored as if they were video, and that FFmpeg reads from some
// version on, or in pieces: HEIC, AVIF in tiles, animated WebP.
#pragma once

#include <string>
#include <string_view>

#include "pipeline/av/av.h"

namespace vidconv {

// Says, by its beginning, what an input is that FFmpeg has not read: "it is a picture in HEIC or
// AVIF, ..."; empty for all others.
std::string unread_still(std::string_view beginning);

// Throws Error(input_unreadable) for a picture in tiles, each of which libavformat gives as a video
// of its own (from version 7 on).
void refuse_tiles(const AVFormatContext& container, const std::string& name);

// Gives a single picture in AVIF or HEIC the turn and the mirror that it says (ISO/IEC 23008-12:
// irot, then imir) as a display matrix, where libavformat has not: it does from version 7.1 on.
// Does nothing where the input cannot be read from its beginning once more.
void turn_still(AVFormatContext& container);

}  // namespace vidconv
