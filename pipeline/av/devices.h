// Opens FFmpeg's input devices: cameras, screens, and the sources of its filters. They are in a
// library of their own, libavdevice, which has a desktop's worth of dependencies and is loaded only
// when it is needed.
#pragma once

#include <string>

#include "pipeline/av/av.h"

namespace vidconv {

// Returns whether such an input is a device: "v4l2:/dev/video0", or a `format` that is no demuxer
// of libavformat itself. Loads nothing.
bool is_device(const std::string& input, const std::string& format);

// Returns a demuxer or a device by FFmpeg's name; nullptr for an empty name. Throws
// Error(command_line) where there is none, and says whether the missing library is the reason.
const AVInputFormat* find_input_format(const std::string& name);

bool is_device(const AVInputFormat& format);

}  // namespace vidconv
