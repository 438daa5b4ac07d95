// Steps that every run takes, whether of one input or of several.
#pragma once

#include "pipeline/base/notice.h"
#include "pipeline/run/job.h"
#include "src/options/options.h"
#include "src/run/messages.h"
#include "src/run/report.h"

namespace vidconv {

// Registers the files that are read and written, before any work is done. Throws
// Error(output_is_input) and Error(usage).
void claim_files(const Options& options, RunFiles& files);

// Returns whether the input of a job whose frames are all written was damaged.
bool is_damaged(const Job& job);

// Says at the end of a run what was done, and what was wrong with the input.
void say_end(const Options& options, const RunResult& result, const Sink& sink, Messages& messages);

// `job` and `sandbox` may be null.
Parts parts_of(const Job* job, const Sandbox* sandbox);

}  // namespace vidconv
