// --explain says in words what would be computed and where, without running it.
#pragma once

#include <string>

#include "kernels/plan/plan.h"
#include "pipeline/filter/processor.h"
#include "pipeline/run/latency.h"
#include "pipeline/source/source.h"
#include "pipeline/work/timed_work.h"

namespace vidconv {

// Returns one line on what --latency comes to.
std::string explain(const LatencyLimits& limits);

// Returns the whole explanation for one video of `input`. `processor` does `work` on its frames;
// `decoded_there` and `encoded_there` say whether the device decodes and encodes them,
// `shared_uploads` whether other outputs filter the same frames there.
std::string explain(const std::string& input, const VideoInfo& video, bool decoded_there,
                    bool encoded_there, bool shared_uploads, const TimedWork& work,
                    const Processor& processor, int slots);

// Returns "1920x1080 yuv420p, limited range, 25 frames/s, 377 frames".
std::string describe_video(const VideoInfo& video);

// Returns the names of a step's components: "Y", "U V".
std::string component_names(const Work& work, const Step& step);

}  // namespace vidconv
