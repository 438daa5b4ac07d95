// --explain of a whole job: all videos of its input, its encoders, shards and limits.
#pragma once

#include <string>

#include "pipeline/run/job.h"
#include "src/options/options.h"

namespace vidconv {

// Prepares the processors of an open job, the first video's last, and explains them.
std::string explain_job(const Options& options, Job& job);

}  // namespace vidconv
