// Tells of frames that are not decoded whether a filter acts on them.
#pragma once

#include <vector>

#include "pipeline/av/video.h"
#include "pipeline/unchanged/packet_index.h"
#include "pipeline/work/timed_work.h"

namespace vidconv {

// Returns, for each frame in order of time, whether a filter may change it; each is one of the
// packets. A filter by a mask video may change every frame on which it acts, since the video has
// not been read.
std::vector<bool> changed_frames(const TimedWork& work, const VideoInfo& video,
                                 std::vector<IndexedPacket> packets);

}  // namespace vidconv
