// Gives the frames of another source the frames around them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/spec/time_spec.h"
#include "pipeline/av/frame_window.h"
#include "pipeline/base/notice.h"
#include "pipeline/source/source.h"

namespace vidconv {

// Returns a source whose frames have a window (Frame::window()) as wide as the reach of their
// video: one for each of the videos of `source`. Of frames that have no result of their own none
// comes out. Frames come later by the reach after them; those of other streams do not wait.
// `lose` hears of captions in frames that do not come out. `wanted`: only frames whose pts it holds
// come out; others are around these. `first`: the number of the first frame that `source` gives.
std::unique_ptr<Source> give_windows(std::unique_ptr<Source> source,
                                     const std::vector<FrameReach>& reaches, const Notify& lose,
                                     const Stretch& wanted = {}, std::int64_t first = 0);

// Returns the description of what comes out of a video of which some frames do.
VideoInfo every_of(VideoInfo info, const FrameReach& reach);

}  // namespace vidconv
