#include "src/options/settings.h"

#include <fmt/format.h>

#include <span>
#include <stdexcept>
#include <vector>

#include "kernels/convolver/usable_threads.h"
#include "pipeline/base/printable.h"
#include "pipeline/filter/light.h"
#include "src/options/option_values.h"

namespace vidconv {
namespace {

Codes codes(const Options& options, const VideoInfo& video, const Notify& notify_user) {
  if (!options.clamp_range) return Codes::all;
  if (is_limited_range(video)) return Codes::limited;
  notify(notify_user, MessageKind::no_effect,
         "--range clamp changes nothing: the video is full range");
  return Codes::all;
}

TimedWork work_for(const Options& options, const VideoInfo& video, const Notify& notify) {
  std::vector<FilterSpec> filters = of_stored(options.filters, video.shown);
  if (options.benchmark_seconds)  // it is of the filters, whenever they act
    for (FilterSpec& filter : filters) filter = filter.for_all_frames();
  if (options.boxes && options.boxes->has_frames() && !video.clock.frames_before)
    throw Error(MessageKind::filter_spec, "cannot count frames for", options.boxes->options().file,
                "with --start nobody knows how many frames of the input come before",
                "give times, which are counted from the input's beginning");
  const Codes results = codes(options, video, notify);
  const ColourCodes colours = colour_codes(filters, video, notify);
  if (!options.linear) {
    const PlaneSelection selection = planes(options);
    return {filters, video, [&](std::span<const FilterSpec> acting) {
              Work work =
                  make_work(acting, *video.format, selection, options.border, results, colours);
              work.boxes = options.boxes;
              work.clock = {video.time_base, video.clock};
              return work;
            }};
  }
  if (!options.planes.empty())
    throw Error(Fault::usage, "--planes", options.planes,
                "filters in linear light act on all colours", "leave out --planes or --linear");
  const LightPlan light = make_light_plan(video, results, notify);
  return {filters, video, [&](std::span<const FilterSpec> acting) {
            return make_light_work(acting, *video.format, options.border, light, colours);
          }};
}

SourceOptions source_options(const Options& options, const Notify& notify) {
  SourceOptions o;
  o.raw = options.raw;
  o.frame_rate = options.frame_rate;
  o.format = options.input_format;
  o.own = options.input_options;
  o.insecure = options.insecure;
  if (options.start > 0) o.start = options.start;
  o.duration = options.duration;
  o.frames = options.frames;
  o.video = options.video;
  if (!o.video && (options.benchmark_seconds || options.gallery)) {
    o.video = 1;
    notify(MessageKind::no_effect, "--video all: this is of the first video, others by --video N");
  }
  o.copy_times = options.copy_times;
  o.strict = options.strict;
  o.timeout = options.timeout;
  o.max_pixels = options.max_pixels;
  o.threads = options.threads;
  o.notify = notify;
  return o;
}

SinkOptions sink_options(const Options& options, const Notify& notify) {
  SinkOptions o;
  o.format = options.output_format;
  o.encoder.codec = options.codec;
  if (options.crf) o.encoder.crf = fmt::format("{}", *options.crf);
  o.encoder.preset = options.preset;
  o.encoder.bitrate = options.bitrate;
  o.encoder.pixel_format = options.pixel_format;
  o.audio = options.audio;
  o.muxer_options = options.muxer_options;
  o.encoder.own = options.encoder_options;
  o.copy_times = options.copy_times;
  o.overwrite = options.overwrite;
  o.insecure = options.insecure;
  // Encoders count CPUs themselves, and know nothing of quotas.
  o.encoder.threads = options.threads > 0 || usable_cpus().by_quota ? threads(options) : 0;
  o.encoder.shards = options.shards;
  if (o.encoder.shards) {  // of each part, whose bytes are no affair of this machine
    o.encoder.threads = options.threads;
    o.encoder.shards->slots = options.slots;
  }
  o.notify = notify;
  if (options.strict) o.lose = refuse_loss;
  return o;
}

}  // namespace

int threads(const Options& options) {
  return options.threads > 0 ? options.threads : usable_threads();
}

PlaneSelection planes(const Options& options) {
  if (options.planes.empty()) return {};
  try {
    return PlaneSelection::parse(options.planes);
  } catch (const std::invalid_argument& error) {
    throw Error(MessageKind::filter_spec, "--planes", shortened(options.planes, longest_value),
                verbatim(error.what()), "see --help");
  }
}

JobOptions job_options(const Options& options, const Notify& notify, RunFiles& files,
                       const std::atomic<bool>& interrupted, Trace* trace) {
  JobOptions job;
  job.input = options.input;
  job.output = options.output;
  job.source = source_options(options, notify);
  job.source.files = &files;
  job.source.interrupted = &interrupted;
  job.sink = sink_options(options, notify);
  job.sink.files = &files;
  job.sink.interrupted = &interrupted;
  job.decoder = options.decoder;
  job.orientation = options.orientation;
  if (options.gallery) {  // its frame is drawn on by the CPU
    job.device = parse_device("cpu");
  } else {
    job.device = options.device;
    job.work = [&options, notify](const VideoInfo& video) {
      return work_for(options, video, notify);
    };
  }
  job.slots = options.slots;
  job.processor.threads = threads(options);
  job.processor.scan = options.scan;
  job.processor.variant = options.variant;
  job.processor.trace = trace;
  job.compare = options.compare;
  job.verify_every = options.verify_every;
  job.latency = options.latency;
  job.realtime = options.realtime;
  if (options.measures.any()) job.measure = {.measures = options.measures, .each = {}};
  job.notify = notify;
  return job;
}

}  // namespace vidconv
