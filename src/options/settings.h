// Translates the command's options into the pipeline's.
#pragma once

#include "pipeline/base/notice.h"
#include "pipeline/run/job.h"
#include "src/options/options.h"

namespace vidconv {

// Returns the number of CPU threads.
int threads(const Options& options);
// Throws Error(filter_spec).
PlaneSelection planes(const Options& options);

// `notify` hears of assumptions and of options without effect. `files` records what is read and
// written. `notify`, `files`, `interrupted` and `trace`, which may be null, outlive the job.
JobOptions job_options(const Options& options, const Notify& notify, RunFiles& files,
                       const std::atomic<bool>& interrupted, Trace* trace);

}  // namespace vidconv
