// Input devices of FFmpeg's: cameras, screens, and the sources of its filters. They are in a
// library of their own, libavdevice, which comes with a desktop's worth of others and is loaded
// when it is asked for.
#pragma once

#include <string>

#include "pipeline/av/av.h"

namespace vidconv {

// Whether such an input is a device: "v4l2:/dev/video0", or `format` is no demuxer of libavformat's
// own. Loads nothing.
bool is_device(const std::string& input, const std::string& format);

// A demuxer, or a device, by FFmpeg's name; nullptr for an empty one. Throws Error(command_line)
// where there is none, and says if that is for want of the library.
const AVInputFormat* find_input_format(const std::string& name);

// Whether that is one of a device.
bool is_device(const AVInputFormat& format);

}  // namespace vidconv
