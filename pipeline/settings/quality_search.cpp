#include "pipeline/settings/quality_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>
#include <utility>
#include <variant>

#include "pipeline/run/job.h"
#include "pipeline/settings/setting_values.h"
#include "pipeline/settings/settings_job.h"
#include "pipeline/source/packet_survey.h"

namespace vidconv {
namespace {

const MeasureName& kind_of(const Target& target) { return *measure_named(target.measure); }

bool is_psnr(const Target& target) { return target.measure == "psnr"; }

std::string shown(const Target& target, const std::optional<double>& value) {
  if (!value) return "no difference";
  return fmt::format(fmt::runtime(kind_of(target).format), *value);
}

bool reaches(const QualityTry& tried, const Target& target) {
  return !tried.reached || *tried.reached >= target.value;
}

// Three of them, or the input whole where it is no longer than they are.
std::vector<std::pair<double, double>> parts_of(const Settings& s, std::optional<double> seconds) {
  constexpr double length = 2, longest_whole = 8;
  const double start = s.source.start.value_or(0);
  if (!seconds) return {{start, 3 * length}};
  if (*seconds <= longest_whole) return {{start, *seconds + 1}};
  std::vector<std::pair<double, double>> parts;
  for (const int sixths : {1, 3, 5})
    parts.emplace_back(start + *seconds * sixths / 6 - length / 2, length);
  return parts;
}

// Returns the length of the longest of its videos, in seconds; none where a length is not known.
std::optional<double> seconds_of(const Source& source) {
  double longest = 0;
  for (const auto& [stream, video] : source.videos()) {
    if (!video.seconds) return std::nullopt;
    longest = std::max(longest, *video.seconds);
  }
  return longest;
}

class Search {
 public:
  Search(const Settings& settings, const std::atomic<bool>& stop)
      : settings_(settings), stop_(stop) {
    found_.target = *settings.target;
    settings_.measures = measures_of(found_.target);
    settings_.audit_file.clear();
    settings_.verify_every.reset();
    if (settings_.boxes)
      settings_.boxes = settings_.boxes->anew();  // these are not the run's frames
    look();
  }

  FoundQuality run() {
    const int last = static_cast<int>(std::abs(scale_.worst - scale_.best));
    const int usual = static_cast<int>(std::abs(scale_.usual - scale_.best));
    // Steps away from the best; those up to `good` reach it, those from `bad` on do not.
    int good = -1, bad = last + 1;
    for (int step = std::clamp(usual, 0, last); bad - good > 1; step = (good + bad) / 2)
      (reaches(attempt(step), found_.target) ? good : bad) = step;
    if (good < 0)
      refuse_setting("target", settings_.target->measure,
                     fmt::format("{} does not reach it: its best, {}, gives {}", found_.encoder,
                                 number(found_.tried.back().crf),
                                 shown(found_.target, found_.tried.back().reached)),
                     "ask for less");
    return std::move(found_);
  }

 private:
  static std::string number(double crf) { return fmt::format("{:g}", crf); }

  // Looks at the encoder and at the length of the input.
  void look() {
    std::error_code error;
    if (settings_.input == "-" || std::filesystem::is_fifo(settings_.input, error))
      refuse_setting("target", settings_.target->measure,
                     "the input is a pipe, and is read several times", "write it to a file first");
    Job job(job_options(settings_, {}, files_, stop_));
    job.open();
    const OutputPlan plan = job.plan();
    const EncoderChoice& encoder = plan.encoders.at(0);
    scale_ = encoder.defaults.quality;
    found_.encoder = encoder.codec->name;
    if (!scale_.option)
      refuse_setting("target", settings_.target->measure,
                     found_.encoder + " has no scale of constant quality",
                     "choose another `codec`");
    found_.parts = parts_of(settings_, seconds_of(*job.source()));
    if (numbers_frames()) count_frames(*job.source());
    settings_.sink.encoder.codec = found_.encoder;
    settings_.shards.reset();
    settings_.keep_unchanged = false;
    settings_.sink.muxer_options.clear();
    settings_.sink.audio = "none";
    settings_.output = "/dev/null";
    settings_.sink.format = "matroska";
  }

  bool numbers_frames() const {
    return std::ranges::any_of(settings_.filters, counts_frames) ||
           (settings_.boxes && settings_.boxes->has_frames());
  }

  // How many frames come before each part of a container. Where packets do not tell, the run of the
  // part says that nobody knows.
  void count_frames(Source& source) {
    if (!source.container().get() || found_.parts.size() == 1) return;
    std::optional<std::int64_t> first;
    while (!first) {
      const std::optional<Item> item = source.next();
      if (!item) return;
      if (const Frame* frame = std::get_if<Frame>(&*item)) first = frame->av().pts;
    }
    SourceOptions quiet = job_options(settings_, {}, files_, stop_).source;
    quiet.files = nullptr;
    quiet.video_only = true;
    const Survey survey = survey_packets(settings_.input, quiet, source, *first);
    if (!survey.exact) return;
    const VideoInfo& video = source.video();
    for (const auto& [start, seconds] : found_.parts) {
      const auto begin = static_cast<std::int64_t>(start * AV_TIME_BASE);
      frames_before_.push_back(std::ranges::count_if(survey.times, [&](std::int64_t time) {
        return video.clock.time_of(time, video.time_base) < begin;
      }));
    }
  }

  const QualityTry& attempt(int step) {
    QualityTry tried;
    tried.crf = scale_.best + (scale_.worst < scale_.best ? -step : step);
    settings_.sink.encoder.crf = fmt::format("{}", tried.crf);
    double frames = 0, sum = 0;
    for (std::size_t part = 0; part < found_.parts.size(); ++part) {
      const Measured measured = measure(part);
      const auto& summary = measured.*kind_of(found_.target).summary;
      const auto count = static_cast<double>(measured.frames);
      if (!summary) continue;
      frames += count;
      // The mean of PSNR is that of its squared errors.
      if (summary->all)
        sum += count * (is_psnr(found_.target) ? std::pow(10, -*summary->all / 10) : *summary->all);
    }
    if (frames > 0 && is_psnr(found_.target) && sum > 0)
      tried.reached = -10 * std::log10(sum / frames);
    if (frames > 0 && !is_psnr(found_.target)) tried.reached = sum / frames;
    found_.tried.push_back(tried);
    if (reaches(tried, found_.target)) found_.chosen = tried;
    return found_.tried.back();
  }

  Measured measure(std::size_t number) {
    Settings part = settings_;
    std::tie(part.source.start, part.source.duration) = found_.parts[number];
    if (part.source.start == 0) part.source.start.reset();
    RunFiles files;
    JobOptions options = job_options(part, {}, files, stop_);
    if (!frames_before_.empty()) options.source.frames_before = frames_before_[number];
    Job job(std::move(options));
    job.open();
    const RunResult result = job.run({});
    if (stop_) throw Error(MessageKind::interrupted, "interrupted", "", "");
    return result.measured.value_or(Measured());
  }

  Settings settings_;
  const std::atomic<bool>& stop_;
  RunFiles files_;
  QualityScale scale_;
  FoundQuality found_;
  std::vector<std::int64_t> frames_before_;  // by part; empty where nothing counts frames
};

}  // namespace

FoundQuality find_quality(const Settings& settings, const std::atomic<bool>& stop) {
  return Search(settings, stop).run();
}

void take(const FoundQuality& found, Settings& settings) {
  settings.sink.encoder.crf = fmt::format("{}", found.chosen.crf);
  settings.measures.*kind_of(found.target).wanted = true;
}

std::string describe(const FoundQuality& found) {
  std::string tried;
  for (const QualityTry& one : found.tried)
    tried += fmt::format("{}{:g}: {}", tried.empty() ? "" : ", ", one.crf,
                         shown(found.target, one.reached));
  std::string parts;
  for (const auto& [start, seconds] : found.parts)
    parts += fmt::format("{}{:.1f} s", parts.empty() ? "" : ", ", start);
  return fmt::format("target {} {}: quality {:g} of {} gives {} (tried {}; parts at {})",
                     found.target.measure, shown(found.target, found.target.value),
                     found.chosen.crf, found.encoder, shown(found.target, found.chosen.reached),
                     tried, parts);
}

}  // namespace vidconv
