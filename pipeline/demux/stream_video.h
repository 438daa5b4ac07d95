// Finds the videos among the streams of a container, and what is known of one before it is decoded.
#pragma once

#include <string>
#include <vector>

#include "pipeline/av/video.h"

namespace vidconv {

// Returns the indices of the streams of moving pictures, without covers.
std::vector<int> video_streams(const AVFormatContext& container);
// Returns the `number`th of them, counted from 1, of the input `name`. Throws Error(no_video).
AVStream& choose_video(const AVFormatContext& container, int number, const std::string& name);

// Returns what the container, the stream and its first picture say, but not how long the video is.
VideoInfo video_info_of(AVFormatContext& container, AVStream& stream, const AVFrame& first);

}  // namespace vidconv
