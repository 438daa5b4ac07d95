#include "src/options/job_settings.h"

#include "pipeline/settings/settings_job.h"

namespace vidconv {

JobOptions job_options(const Options& options, const Notify& notify, RunFiles& files,
                       const std::atomic<bool>& interrupted, Trace* trace) {
  const Settings& of_the_job = options;
  Settings settings = of_the_job;
  if (options.benchmark_seconds)  // it is of the filters, whenever they act
    for (FilterSpec& filter : settings.filters) filter = filter.for_all_frames();
  if (!settings.source.video && (options.benchmark_seconds || options.gallery)) {
    settings.source.video = 1;
    notify(MessageKind::no_effect, "`video` all: this is of the first video, others by `video` N");
  }
  JobOptions job = job_options(settings, notify, files, interrupted);
  if (options.gallery) {  // its frame is drawn on by the CPU
    job.device = parse_device("cpu");
    job.work = {};
  }
  job.processor.trace = trace;
  return job;
}

}  // namespace vidconv
