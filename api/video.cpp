#include <vidconv/video.h>

#include <atomic>
#include <string>
#include <vector>

#include "kernels/convolver/usable_threads.h"
#include "kernels/spec/parse.h"
#include "pipeline/base/printable.h"
#include "pipeline/bytes/run_files.h"
#include "pipeline/filter/work.h"
#include "pipeline/run/job.h"

namespace vidconv {
namespace {

constexpr double observer_seconds = 0.1;

std::vector<FilterSpec> chain_of(const VideoJob& job) {
  if (job.kernels.empty()) throw Error(Fault::usage, "there is no kernel", "", "", "give one");
  std::vector<FilterSpec> chain;
  for (const std::string& spec : job.kernels) try {
      chain.push_back(FilterSpec::parse(spec));
    } catch (const SpecError& error) {
      throw Error(MessageKind::filter_spec, "the kernel", spec, verbatim(error.what()), "");
    }
  return chain;
}

std::string words_of(const Damage& damage) {
  if (!damage.any()) return {};
  if (!damage.truncated.empty()) return damage.truncated;
  return damage.first_error.empty() ? "frames are missing or wrong" : plain(damage.first_error);
}

VideoResult filter(const VideoJob& wanted) {
  RunFiles files;
  files.reads("the input", wanted.input);
  std::atomic<bool> stop = false;

  JobOptions options;
  options.input = wanted.input;
  options.output = wanted.output;
  options.device = parse_device(wanted.device);
  options.work = [chain = chain_of(wanted)](const VideoInfo& video) {
    return TimedWork(of_stored(chain, video.shown), video, [&](std::span<const FilterSpec> acting) {
      return make_work(acting, *video.format, {}, {});
    });
  };
  options.processor.threads = usable_threads();
  options.notify = [&](MessageKind, const std::string& line) {
    if (wanted.notice) wanted.notice(plain(line));
  };
  options.source.notify = options.sink.notify = options.notify;
  options.source.interrupted = options.sink.interrupted = &stop;
  options.source.files = options.sink.files = &files;
  options.sink.encoder.codec = wanted.codec;
  options.sink.overwrite = wanted.overwrite;

  Job job(std::move(options));
  job.open();
  const auto total = job.source()->video().frames;
  const auto observer = [&](const Progress& p) {
    if (wanted.progress &&
        !wanted.progress({.frames = p.encoded, .total = total, .seconds = p.seconds}))
      stop = true;
  };
  const RunResult result = job.run({.observer = observer, .observer_interval = observer_seconds});
  return {.frames = result.written, .stopped = stop, .damage = words_of(result.damage)};
}

}  // namespace

VideoResult filter_video(const VideoJob& job) {
  try {
    return filter(job);
  } catch (...) {
    const Error error = current_error();
    throw VideoError(static_cast<int>(error.fault()), plain(error.message()));
  }
}

}  // namespace vidconv
