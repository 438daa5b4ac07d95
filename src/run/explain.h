// --explain: what would be computed and where, in words; nothing is run.
#pragma once

#include <string>

#include "kernels/plan/plan.h"
#include "pipeline/filter/processor.h"
#include "pipeline/run/latency.h"
#include "pipeline/source/source.h"
#include "pipeline/work/timed_work.h"

namespace vidconv {

// What --latency comes to, a line.
std::string explain(const LatencyLimits& limits);

// The whole answer for one video of `input`. `processor` does `work` on its frames, which are
// decoded and encoded on the device or not.
std::string explain(const std::string& input, const VideoInfo& video, bool decoded_there,
                    bool encoded_there, const TimedWork& work, const Processor& processor,
                    int slots);

// "1920x1080 yuv420p, limited range, 25 frames/s, 377 frames"
std::string describe_video(const VideoInfo& video);

// The names of a step's components: "Y", "U V".
std::string component_names(const Work& work, const Step& step);

}  // namespace vidconv
