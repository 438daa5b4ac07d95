#include "api/c/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "api/c/filter.h"
#include "api/c/values.h"
#include "kernels/base/names.h"
#include "kernels/convolver/usable_threads.h"
#include "pipeline/base/printable.h"
#include "pipeline/filter/light.h"

namespace vidconv {
namespace {

using S = JobSettings;
using Text = const std::string&;

constexpr auto largest = std::numeric_limits<std::int64_t>::max();

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return text;
}

constexpr SettingRow rows[] = {
    {"input", "what is read: a file, a URL, v4l2:DEVICE, - or pattern:WxH[:PIXFMT][@FPS][#FRAMES]",
     false, [](S& s, Text v) { s.input = v; }},
    {"output",
     "what is written: a file (container by its ending), an address with a format, -, md5: or "
     "null:",
     false, [](S& s, Text v) { s.output = v; }},
    {"kernel", "a filter, as vidconv --kernel takes it; several make a chain", true,
     [](S& s, Text v) { s.kernels.push_back(parse_kernel_setting(v)); }},
    {"border", "what lies outside of the picture: reflect101, reflect, ..., constant:V", false,
     [](S& s, Text v) { s.border = border_setting(v.c_str()); }},
    {"planes", "which planes are filtered: all, luma, chroma or a list such as y,u", false,
     [](S& s, Text v) { s.planes = planes_setting(v.c_str()); }},
    {"range", "results of limited-range video: keep or clamp", false,
     [](S& s, Text v) {
       s.clamp_range = word_setting("range", v, {"keep", "clamp"}) == 1;
     }},
    {"linear", "1: filter in linear light", false,
     [](S& s, Text v) { s.linear = switch_setting("linear", v); }},
    {"scan", "auto, progressive or interlaced", false,
     [](S& s, Text v) {
       s.scan = static_cast<Scan>(word_setting("scan", v, {"auto", "progressive", "interlaced"}));
     }},
    {"device", "where to convolve: auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all", false,
     [](S& s, Text v) { s.device = parse_device(lower(v)); }},
    {"decoder", "where to decode: auto, cpu, nvdec or nvdec:SESSIONS", false,
     [](S& s, Text v) { s.decoder = parse_decoder(lower(v)); }},
    {"threads", "of the CPU", false,
     [](S& s, Text v) { s.threads = int(whole_setting("threads", v, 1, most_threads)); }},
    {"slots", "frames in flight", false,
     [](S& s, Text v) { s.slots = int(whole_setting("slots", v, 1, 1024)); }},
    {"verify", "every how many frames one is computed again on the other path", false,
     [](S& s, Text v) { s.verify_every = int(whole_setting("verify", v, 1, 1 << 30)); }},
    {"compare", "the original and the result in one: split, side, flip or flip:SECONDS", false,
     [](S& s, Text v) { s.compare = parse_comparison(v); }},
    {"strict", "1: damage, and what the output cannot hold, is an error", false,
     [](S& s, Text v) { s.strict = s.source.strict = switch_setting("strict", v); }},

    {"raw", "the input is bare frames: WxH:PIXFMT[@FPS]", false,
     [](S& s, Text v) { s.source.raw = v; }},
    {"frame_rate", "frames a second of an input that does not say it: 25 or 30000/1001", false,
     [](S& s, Text v) {
       if (!frame_rate_of(v))
         throw Error(Fault::usage, "cannot set `frame_rate` to", shortened(v, longest_value),
                     "not a number of frames per second");
       s.source.frame_rate = v;
     }},
    {"input_format", "the demuxer or the device, by FFmpeg's name", false,
     [](S& s, Text v) { s.source.format = v; }},
    {"input_options", "KEY=VALUE, an option of the input's format or device", true,
     [](S& s, Text v) { s.source.own.push_back(pair_setting("input_options", v)); }},
    {"latency", "milliseconds; frames of a live input that would be later are dropped", false,
     [](S& s, Text v) { s.latency = number_setting("latency", v, 1, 60'000) / 1000; }},
    {"start", "skip what comes before: seconds or [HH:]MM:SS", false,
     [](S& s, Text v) {
       if (const double start = time_setting("start", v); start > 0) s.source.start = start;
     }},
    {"duration", "stop after: seconds or [HH:]MM:SS", false,
     [](S& s, Text v) { s.source.duration = time_setting("duration", v); }},
    {"frames", "stop after so many frames", false,
     [](S& s, Text v) { s.source.frames = whole_setting("frames", v, 1, largest); }},
    {"video", "which video stream is filtered, counted from 1; all", false,
     [](S& s, Text v) {
       s.source.video.reset();
       if (!same_name(v, "all")) s.source.video = int(whole_setting("video", v, 1, 1 << 30));
     }},
    {"orientation",
     "pictures that are stored turned: auto, keep, apply, or 0, 90, 180, 270 degrees clockwise",
     false, [](S& s, Text v) { s.orientation = parse_orientation(v); }},
    {"copy_times", "1: leave times that do not begin at 0, or begin anew on the way", false,
     [](S& s, Text v) {
       s.source.copy_times = s.sink.copy_times = switch_setting("copy_times", v);
     }},
    {"timeout", "seconds after which a silent input is given up", false,
     [](S& s, Text v) { s.source.timeout = number_setting("timeout", v, 0.001, 1e9); }},
    {"insecure", "1: certificates of servers are not checked", false,
     [](S& s, Text v) { s.source.insecure = s.sink.insecure = switch_setting("insecure", v); }},
    {"max_pixels", "pictures with more are refused", false,
     [](S& s, Text v) { s.source.max_pixels = whole_setting("max_pixels", v, 1, largest); }},

    {"format", "of the output, whatever its name: y4m, raw or a container", false,
     [](S& s, Text v) { s.sink.format = lower(v); }},
    {"codec", "encoder or codec", false, [](S& s, Text v) { s.sink.encoder.codec = lower(v); }},
    {"crf", "constant quality, on the encoder's own scale", false,
     [](S& s, Text v) {
       s.sink.encoder.crf = fmt::format("{}", number_setting("crf", v, 0, 1000));
     }},
    {"preset", "speed preset of the encoder", false,
     [](S& s, Text v) { s.sink.encoder.preset = v; }},
    {"bitrate", "bits per second, such as 5M or 800k, instead of a quality", false,
     [](S& s, Text v) { s.sink.encoder.bitrate = v; }},
    {"pixel_format", "of the output", false,
     [](S& s, Text v) { s.sink.encoder.pixel_format = lower(v); }},
    {"encoder_options", "KEY=VALUE, an option of the encoder", true,
     [](S& s, Text v) { s.sink.encoder.own.push_back(pair_setting("encoder_options", v)); }},
    {"shards", "encode in parts that are joined without a seam: auto, N or a length such as 10s",
     false, [](S& s, Text v) { s.shards = parse_shards(v); }},
    {"jobs", "how many of these parts at once", false,
     [](S& s, Text v) { s.jobs = int(whole_setting("jobs", v, 1, 1024)); }},
    {"audio", "copy, none, or an encoder", false, [](S& s, Text v) { s.sink.audio = lower(v); }},
    {"muxer_options", "KEY=VALUE, an option of the container", true,
     [](S& s, Text v) { s.sink.muxer_options.push_back(pair_setting("muxer_options", v)); }},
    {"overwrite", "1: replace an output that is there", false,
     [](S& s, Text v) { s.sink.overwrite = switch_setting("overwrite", v); }},
};

TimedWork work_of(const JobSettings& s, const VideoInfo& video, const Notify& notify) {
  const std::vector<FilterSpec> chain = of_stored(s.kernels, video.shown);
  Codes codes = Codes::all;
  if (s.clamp_range && is_limited_range(video))
    codes = Codes::limited;
  else if (s.clamp_range)
    vidconv::notify(notify, MessageKind::no_effect,
                    "`range` clamp changes nothing: the video is full range");
  const ColourCodes colours = colour_codes(chain, video, notify);
  if (!s.linear)
    return {chain, video, [&](std::span<const FilterSpec> acting) {
              return make_work(acting, *video.format, s.planes, s.border, codes, colours);
            }};
  const LightPlan light = make_light_plan(video, codes, notify);
  return {chain, video, [&](std::span<const FilterSpec> acting) {
            return make_light_work(acting, *video.format, s.border, light, colours);
          }};
}

void check_together(const JobSettings& s) {
  if (s.linear && s.planes != PlaneSelection())
    throw Error(Fault::usage, "cannot set both", "linear and planes",
                "filters in linear light act on all colours", "leave out `planes` or `linear`");
  if (!s.sink.encoder.crf.empty() && !s.sink.encoder.bitrate.empty())
    throw Error(Fault::usage, "cannot set both", "crf and bitrate",
                "`crf` asks for a quality, whatever the rate", "leave out one");
  if (s.latency > 0 && s.shards)
    throw Error(Fault::usage, "cannot set both", "latency and shards",
                "parts come out long after their frames", "leave out one");
  if (s.jobs > 0 && !s.shards)
    throw Error(Fault::usage, "cannot set `jobs`", "", "there are no parts", "set `shards`");
}

void warn_of_kernels(const JobSettings& s, const Notify& notify) {
  for (const FilterSpec& kernel : s.kernels) {
    const auto warn = [&](MessageKind kind, const std::string& warning) {
      if (!warning.empty()) vidconv::notify(notify, kind, "warning: " + verbatim(warning));
    };
    warn(MessageKind::gain, kernel.gain_warning());
    warn(MessageKind::one_row, kernel.shape_warning());
  }
}

}  // namespace

std::span<const SettingRow> setting_table() { return rows; }

void SettingWords::set(const std::string& name, const std::string& value) {
  const SettingRow* const row = row_named(rows, name, &SettingRow::name);
  if (!row) {
    std::vector<std::string_view> names;
    for (const SettingRow& r : rows) names.emplace_back(r.name);
    throw Error(Fault::usage, "there is no setting", shortened(name, longest_value),
                "none has that name" + did_you_mean(name, names),
                "vidconv_setting_name() lists them");
  }
  if (!value.empty()) {
    JobSettings trial;
    row->set(trial, value);
  }
  if (!row->repeats || value.empty())
    std::erase_if(words_, [&](const auto& word) { return word.first == row; });
  if (!value.empty()) words_.emplace_back(row, value);
}

JobSettings SettingWords::settings() const {
  JobSettings settings;
  for (const auto& [row, value] : words_) row->set(settings, value);
  return settings;
}

JobOptions job_options(const JobSettings& s, const Notify& notify, RunFiles& files,
                       const std::atomic<bool>& stop) {
  check_together(s);
  warn_of_kernels(s, notify);
  const int threads = s.threads > 0 ? s.threads : usable_threads();
  JobOptions job;
  job.input = s.input;
  job.output = s.output;
  job.device = s.device;
  job.decoder = s.decoder;
  job.source = s.source;
  job.source.threads = s.threads;
  job.sink = s.sink;
  // Encoders count CPUs themselves, and know nothing of quotas.
  job.sink.encoder.threads = s.threads > 0 || usable_cpus().by_quota ? threads : 0;
  if (s.shards) {  // of each part, whose bytes are no affair of this machine
    job.sink.encoder.threads = s.threads;
    job.sink.encoder.shards = s.shards;
    job.sink.encoder.shards->jobs = s.jobs;
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
  job.verify_every = s.verify_every;
  job.compare = s.compare;
  job.orientation = s.orientation;
  job.latency = s.latency;
  for (const FilterSpec& kernel : s.kernels)
    for (const std::string& file : kernel.files()) files.reads("the file of a filter", file);
  return job;
}

}  // namespace vidconv
