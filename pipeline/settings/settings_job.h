// From settings to what the pipeline takes.
#pragma once

#include <atomic>

#include "pipeline/base/notice.h"
#include "pipeline/run/job.h"
#include "pipeline/settings/settings.h"

namespace vidconv {

// CPU threads that convolve: the setting, or as many as the process may use.
int threads_of(const Settings& settings);

// Throws Error(usage) for settings that contradict each other, whoever asks for the job.
void check_settings(const Settings& settings);

// Tells `notify` what filters of the chain will surprise: a gain, a single row.
void warn_of_filters(const Settings& settings, const Notify& notify);

// `notify` hears what was assumed and what changes nothing; it outlives the job, as do `files`,
// which hear what is read and written, and `stop`, which ends the run early.
JobOptions job_options(const Settings& settings, const Notify& notify, RunFiles& files,
                       const std::atomic<bool>& stop);

}  // namespace vidconv
