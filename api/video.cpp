#include <vidconv/video.h>

#include <atomic>
#include <memory>
#include <span>

#include "kernels/convolver/usable_threads.h"
#include "kernels/spec/parse.h"
#include "pipeline/bytes/run_files.h"
#include "pipeline/device/cuda.h"
#include "pipeline/device/device_choice.h"
#include "pipeline/filter/processor_fit.h"
#include "pipeline/filter/work.h"
#include "pipeline/run/run.h"
#include "pipeline/sink/sink.h"
#include "pipeline/source/source.h"

namespace vidconv {
namespace {

constexpr double observer_seconds = 0.1;

std::vector<FilterSpec> chain_of(const VideoJob& job) {
  if (job.kernels.empty()) throw Error(Fault::usage, "there is no kernel", "", "", "give one");
  std::vector<FilterSpec> chain;
  for (const std::string& spec : job.kernels) try {
      chain.push_back(FilterSpec::parse(spec));
    } catch (const SpecError& error) {
      throw Error(Message::filter_spec, "the kernel", spec, error.what(), "");
    }
  return chain;
}

std::unique_ptr<Processor> processor_for(const std::vector<FilterSpec>& chain,
                                         const VideoInfo& video, const VideoJob& job,
                                         const Notify& notify) {
  const DeviceChoice device = choose_device(job.device);
  ProcessorOptions options;
  options.device = device.device;
  options.device_index = device.index;
  options.slots = default_slots(device.device, *video.format, video.width, video.height);
  options.threads = usable_threads();
  const Work work = make_work(chain, *video.format, {}, {});
  return make_fitting_processor(
      [&](const ProcessorOptions& with) {
        return make_processor(work, video.width, video.height, with);
      },
      options, job.device == "auto", notify);
}

std::string words_of(const Damage& damage) {
  if (!damage.any()) return {};
  if (!damage.truncated.empty()) return damage.truncated;
  return damage.first_error.empty() ? "frames are missing or wrong" : damage.first_error;
}

VideoResult filter(const VideoJob& job) {
  const Notify notify = [&](Message, const std::string& line) {
    if (job.notice) job.notice(line);
  };
  const std::vector<FilterSpec> chain = chain_of(job);
  RunFiles files;
  files.reads("the input", job.input);
  std::atomic<bool> stop = false;
  SourceOptions from;
  from.notify = notify;
  from.interrupted = &stop;
  from.files = &files;
  if (job.device != "cpu" && has_cuda_driver()) from.memory = pinned_memory;
  const auto source = open_source(job.input, from);
  SinkOptions to;
  to.encoder.codec = job.codec;
  to.overwrite = job.overwrite;
  to.notify = notify;
  to.interrupted = &stop;
  to.files = &files;
  const auto sink = open_sink(job.output, to, source->info());
  const auto processor = processor_for(chain, source->video(), job, notify);
  const auto observer = [&](const Progress& p) {
    if (job.progress &&
        !job.progress({.frames = p.encoded, .total = source->video().frames, .seconds = p.seconds}))
      stop = true;
  };
  const RunResult result = run(*source, *processor, *sink,
                               {.observer = observer, .observer_interval = observer_seconds});
  return {.frames = result.written, .stopped = stop, .damage = words_of(result.damage)};
}

}  // namespace

VideoResult filter_video(const VideoJob& job) {
  try {
    return filter(job);
  } catch (...) {
    const Error error = current_error();
    throw VideoError(static_cast<int>(error.fault()), error.message());
  }
}

}  // namespace vidconv
