// Linear light for a video: what its colour description means for kernels/light/light.h.
#pragma once

#include <string>

#include "kernels/light/light.h"
#include "pipeline/av/video.h"
#include "pipeline/base/notice.h"

namespace vidconv {

// How to make light of the video's codes. What the video does not say is assumed as people do who
// play it (transfer function: BT.709 for YUV, sRGB for RGB and grey; matrix: by the height; chroma:
// as MPEG-2 places it), and `notify` hears of the first two. Throws Error(usage) for float
// samples and for transfer functions and matrices that are not known here.
LightPlan make_light_plan(const VideoInfo& video, Codes codes, const Notify& notify);

// For people: "BT.709 transfer, limited range, luma 0.2126 R + 0.7152 G + 0.0722 B".
std::string describe(const LightPlan& plan);

}  // namespace vidconv
