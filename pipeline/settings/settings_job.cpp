#include "pipeline/settings/settings_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/base/names.h"
#include "pipeline/base/printable.h"
#include "pipeline/platform/usable_threads.h"
#include "pipeline/settings/setting_values.h"
#include "pipeline/work/light.h"

namespace vidconv {
namespace {

Codes codes_of(const Settings& s, const VideoInfo& video, const Notify& notify) {
  if (!s.clamp_range) return Codes::all;
  if (is_limited_range(video)) return Codes::limited;
  vidconv::notify(notify, MessageKind::no_effect,
                  "`range` clamp changes nothing: the video is full range");
  return Codes::all;
}

// Returns what of the filters no CUDA device does; empty where there is nothing.
std::string_view only_on_cpu(const Settings& s) {
  for (const FilterSpec& filter : s.filters)
    if (filter.is_over_time() && filter.over_time().cut && &filter != s.filters.data())
      return "scenes (`cut=`) of frames that other filters make";
  return "";
}

bool asks_for_weights(const Settings& s) {
  return s.alpha == AlphaUse::weighted || std::ranges::any_of(s.filters, [](const FilterSpec& f) {
           return f.alpha() == AlphaUse::weighted;
         });
}

bool carries_alpha(const PixelFormat& format) {
  return std::ranges::any_of(format.components,
                             [](const Component& c) { return c.kind == Component::Kind::alpha; });
}

TimedWork work_of(const Settings& s, const VideoInfo& video, const Notify& notify) {
  const std::vector<FilterSpec> chain = of_stored(s.filters, video.shown);
  if (s.boxes && s.boxes->has_frames() && !video.clock.frames_before)
    throw Error(MessageKind::filter_spec, "cannot count frames for", s.boxes->options().file,
                "with `start` nobody knows how many frames of the input come before",
                "give times, which are counted from the input's beginning");
  if (asks_for_weights(s) && !carries_alpha(*video.format))
    vidconv::notify(notify, MessageKind::no_effect,
                    "`alpha` weighted changes nothing: the video has no alpha");
  const Codes codes = codes_of(s, video, notify);
  const ColourCodes colours = colour_codes(chain, video, notify);
  if (!s.linear)
    return in_stages(chain, video, [&](std::span<const FilterSpec> acting) {
      Work work = make_work(acting, *video.format, s.planes, s.border, codes, colours, s.alpha);
      work.boxes = s.boxes;
      work.clock = {video.time_base, video.clock};
      return work;
    });
  const LightPlan light = make_light_plan(video, codes, notify);
  return in_stages(chain, video, [&](std::span<const FilterSpec> acting) {
    Work work = make_light_work(acting, *video.format, s.border, light, colours);
    work.boxes = s.boxes;
    work.clock = {video.time_base, video.clock};
    return work;
  });
}

// Whether frames come out as they came in, so that a device would only take them there and back.
bool only_copies(const Settings& s) {
  const bool on_device =
      s.decoder.kind == DecoderRequest::Kind::nvdec || s.sink.encoder.codec.ends_with("_nvenc");
  const bool computes = s.linear || s.clamp_range || s.boxes || s.compare || s.verify_every;
  return !on_device && !computes && !s.filters.empty() &&
         std::ranges::all_of(s.filters,
                             [](const FilterSpec& f) { return same_name(f.text(), "identity"); });
}

DeviceRequest device_of(const Settings& s) {
  if (s.device.kind != DeviceRequest::Kind::automatic) return s.device;
  DeviceRequest device = s.device;
  if (const std::string_view only = only_on_cpu(s); !only.empty())
    return {.kind = DeviceRequest::Kind::cpu,
            .why = has_cuda_driver() ? fmt::format("filtering on the CPU: {}", only) : ""};
  if (s.variant)  // it knows where it runs
    device = parse_device(s.variant->device == Device::cpu ? "cpu" : "cuda");
  if (device.kind == DeviceRequest::Kind::automatic && only_copies(s))
    device = {.kind = DeviceRequest::Kind::cpu, .why = "copying on the CPU: nothing is computed"};
  return device;
}

}  // namespace

int threads_of(const Settings& s) { return s.threads > 0 ? s.threads : usable_threads(); }

void check_settings(const Settings& s) {
  const EncoderOptions& encoder = s.sink.encoder;
  if (s.linear && s.planes != PlaneSelection())
    refuse_setting("planes", "", "filters in linear light act on all colours",
                   "leave out `planes` or `linear`");
  if (s.linear && asks_for_weights(s))
    refuse_setting("alpha", "weighted", "filters in linear light copy alpha",
                   "leave out `alpha` or `linear`");
  if (const std::string_view only = only_on_cpu(s); !only.empty()) {
    const std::string why = fmt::format("{} are filtered on the CPU", only);
    if (s.device.kind == DeviceRequest::Kind::cuda)
      refuse_setting("device", s.device.text, why, "leave out `device`");
    if (s.decoder.kind == DecoderRequest::Kind::nvdec)
      refuse_setting("decoder", "nvdec", why, "leave out `decoder`");
  }
  const bool leaves_out =
      std::ranges::any_of(s.filters, [](const FilterSpec& f) { return f.over_time().every > 1; });
  if (leaves_out && !s.audit_file.empty())
    refuse_setting("audit", s.audit_file, "`every=` leaves out frames that it would compare",
                   "leave out one");
  if (!encoder.crf.empty() && !encoder.bitrate.empty())
    refuse_setting("bitrate", encoder.bitrate, "`crf` asks for a quality, whatever the rate",
                   "leave out one");
  if (s.latency > 0 && s.shards)
    refuse_setting("latency", fmt::format("{:g}", 1e3 * s.latency),
                   "parts of `shards` come out long after their frames", "leave out one");
  if (s.realtime && s.shards)
    refuse_setting("realtime", "", "parts of `shards` are encoded side by side", "leave out one");
  if (s.keep_unchanged && (s.latency > 0 || s.realtime))
    refuse_setting("keep_unchanged", "", "what comes in its own time does not come twice",
                   "leave it out");
  if (s.jobs > 0 && !s.shards)
    refuse_setting("jobs", "", "there are no parts", "set `shards` auto");
}

void warn_of_filters(const Settings& s, const Notify& notify) {
  const auto warn = [&](MessageKind kind, const std::string& warning) {
    if (!warning.empty()) vidconv::notify(notify, kind, "warning: " + verbatim(warning));
  };
  for (const FilterSpec& filter : s.filters) {
    warn(MessageKind::gain, filter.gain_warning());
    warn(MessageKind::one_row, filter.shape_warning());
  }
}

JobOptions job_options(const Settings& s, const Notify& notify, RunFiles& files,
                       const std::atomic<bool>& stop) {
  const int threads = threads_of(s);
  JobOptions job;
  job.input = s.input;
  job.output = s.output;
  job.device = device_of(s);
  job.decoder = s.decoder;
  job.source = s.source;
  job.source.threads = s.threads;
  job.sink = s.sink;
  // Encoders count CPUs themselves, and know nothing of quotas.
  job.sink.encoder.threads = s.threads > 0 || usable_cpus().by_quota ? threads : 0;
  job.keep_unchanged = s.keep_unchanged;
  // The bytes of a part do not depend on this machine.
  if (s.shards || s.keep_unchanged) job.sink.encoder.threads = s.threads;
  if (s.shards) {
    job.sink.encoder.shards = s.shards;
    if (s.jobs > 0) job.sink.encoder.shards->jobs = s.jobs;
    job.sink.encoder.shards->slots = s.slots;
  }
  if (s.strict) job.sink.lose = refuse_loss;
  job.source.notify = job.sink.notify = job.notify = notify;
  job.source.files = job.sink.files = &files;
  job.source.interrupted = job.sink.interrupted = &stop;
  job.work = [s, notify](const VideoInfo& video) { return work_of(s, video, notify); };
  job.slots = s.slots;
  job.processor.threads = threads;
  job.processor.scan = s.scan;
  job.processor.variant = s.variant;
  job.verify_every = s.verify_every;
  job.compare = s.compare;
  job.orientation = s.orientation;
  job.latency = s.latency;
  job.realtime = s.realtime;
  if (s.measures.any()) job.measure = {.measures = s.measures, .each = {}};
  return job;
}

}  // namespace vidconv
