// What every run has in common, that of one input and those of several.
#pragma once

#include "pipeline/base/notice.h"
#include "pipeline/run/job.h"
#include "src/options/options.h"
#include "src/run/messages.h"
#include "src/run/report.h"

namespace vidconv {

// What is read and what is written, before there is any work. Throws Error(output_is_input) and
// Error(usage).
void claim_files(const Options& options, RunFiles& files);

// Of a run that has come to its end: what was done, and what was wrong with the input.
void say_end(const Options& options, const RunResult& result, const Sink& sink, Messages& messages);

// Both may be null.
Parts parts_of(const Job* job, const Sandbox* sandbox);

}  // namespace vidconv
