// Translates videos and frames between the C header and the pipeline.
#pragma once

#include <vidconv/vidconv.h>

#include <string>

#include "pipeline/av/frame.h"
#include "pipeline/av/video.h"

namespace vidconv {

// Describes a video to the caller. Its texts live as long as the program.
vidconv_video described(const VideoInfo& video);
// Throws Error(usage) if the description is impossible.
VideoInfo understood(const vidconv_video& video);

vidconv_frame_info described(const Frame& frame);

// Returns a pixel format by FFmpeg's name, which may leave out the order of bytes: "gbrpf32".
// Throws Error(usage).
const PixelFormat& format_named(const std::string& name);

}  // namespace vidconv
