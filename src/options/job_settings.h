// Translates the command's options into the pipeline's.
#pragma once

#include "pipeline/base/notice.h"
#include "pipeline/run/job.h"
#include "src/options/options.h"

namespace vidconv {

// `notify` hears what was assumed and what changes nothing; it outlives the job, as do `files`,
// which hear what is read and written, `interrupted` and `trace`, which may be null.
JobOptions job_options(const Options& options, const Notify& notify, RunFiles& files,
                       const std::atomic<bool>& interrupted, Trace* trace);

}  // namespace vidconv
