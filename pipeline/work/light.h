// Makes a plan of linear light (kernels/light/light.h) from a video's colour description.
#pragma once

#include <string>

#include "kernels/light/light.h"
#include "pipeline/av/video.h"
#include "pipeline/base/notice.h"

namespace vidconv {

// Returns how to make light of the video's codes. Assumes what players do where the video says
// nothing (transfer function: BT.709 for YUV, sRGB for RGB and grey; matrix: by the height; chroma:
// as MPEG-2 places it), and tells `notify` of the first two. Throws Error(usage) for float samples,
// and for unknown transfer functions and matrices.
LightPlan make_light_plan(const VideoInfo& video, Codes codes, const Notify& notify);

// Returns a text for people: "BT.709 transfer, limited range, luma 0.2126 R + 0.7152 G + 0.0722 B".
std::string describe(const LightPlan& plan);

}  // namespace vidconv
