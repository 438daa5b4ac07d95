#include "src/run/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <variant>

#include "pipeline/run/job.h"
#include "pipeline/source/packet_survey.h"
#include "src/options/measure_words.h"
#include "src/options/option_values.h"
#include "src/options/settings.h"
#include "src/run/progress.h"

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

// Returns three ranges, the whole input if it is short, or its start if its duration is unknown.
std::vector<std::pair<double, double>> parts_of(const Options& o, std::optional<double> seconds) {
  constexpr double length = 2, longest_whole = 8;
  if (!seconds) return {{o.start, 3 * length}};
  if (*seconds <= longest_whole) return {{o.start, *seconds + 1}};
  std::vector<std::pair<double, double>> parts;
  for (const int sixths : {1, 3, 5})
    parts.emplace_back(o.start + *seconds * sixths / 6 - length / 2, length);
  return parts;
}

class Search {
 public:
  Search(const Options& options, const std::atomic<bool>& interrupted)
      : options_(options), interrupted_(interrupted) {
    found_.target = *options.target;
    options_.measures = measures_of(found_.target);
    options_.stats_file = options_.trace_file = options_.measure_log = options_.report_file =
        options_.audit_file = options_.metrics_file = "";
    options_.verify_every.reset();
    if (options_.boxes) options_.boxes = options_.boxes->anew();  // these are not the run's frames
    look();
  }

  FoundQuality run() {
    const int last = static_cast<int>(std::abs(scale_.worst - scale_.best));
    const int usual = static_cast<int>(std::abs(scale_.usual - scale_.best));
    // Counted in steps from the best quality: up to `good` it is reached, from `bad` on it is not.
    int good = -1, bad = last + 1;
    for (int step = std::clamp(usual, 0, last); bad - good > 1; step = (good + bad) / 2)
      (reaches(attempt(step), found_.target) ? good : bad) = step;
    if (good < 0)
      refuse("--target", options_.target->measure,
             fmt::format("{} does not reach it: its best, {}, gives {}", found_.encoder,
                         number(found_.tried.back().crf),
                         shown(found_.target, found_.tried.back().reached)),
             "ask for less");
    return std::move(found_);
  }

 private:
  static std::string number(double crf) { return fmt::format("{:g}", crf); }

  // Finds the encoder and the input's duration.
  void look() {
    std::error_code error;
    if (options_.input == "-" || std::filesystem::is_fifo(options_.input, error))
      refuse("--target", options_.target->measure, "the input is a pipe, and is read several times",
             "write it to a file first");
    Job job(job_options(options_, {}, files_, interrupted_, nullptr));
    job.open();
    const OutputPlan plan = job.plan();
    const EncoderChoice& encoder = plan.encoders.at(0);
    scale_ = encoder.defaults.quality;
    found_.encoder = encoder.codec->name;
    if (!scale_.option)
      refuse("--target", options_.target->measure,
             found_.encoder + " has no scale of constant quality", "choose another --codec");
    found_.parts = parts_of(options_, total_of(*job.source()).seconds);
    if (numbers_frames()) count_frames(*job.source());
    options_.codec = found_.encoder;
    options_.shards.reset();
    options_.muxer_options.clear();
    options_.audio = "none";
    options_.output = "/dev/null";
    options_.output_format = "matroska";
  }

  bool numbers_frames() const {
    return std::ranges::any_of(options_.filters, counts_frames) ||
           (options_.boxes && options_.boxes->has_frames());
  }

  // Counts the frames before each range of a container. If packets do not tell, the run over the
  // range reports that the number is unknown.
  void count_frames(Source& source) {
    if (!source.container().get() || found_.parts.size() == 1) return;
    std::optional<std::int64_t> first;
    while (!first) {
      const std::optional<Item> item = source.next();
      if (!item) return;
      if (const Frame* frame = std::get_if<Frame>(&*item)) first = frame->av().pts;
    }
    SourceOptions quiet = job_options(options_, {}, files_, interrupted_, nullptr).source;
    quiet.files = nullptr;
    quiet.video_only = true;
    const Survey survey = survey_packets(options_.input, quiet, source, *first);
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
    options_.crf = tried.crf;
    double frames = 0, sum = 0;
    for (std::size_t part = 0; part < found_.parts.size(); ++part) {
      const Measured measured = measure(part);
      const auto& summary = measured.*kind_of(found_.target).summary;
      const auto count = static_cast<double>(measured.frames);
      if (!summary) continue;
      frames += count;
      // PSNR values are averaged as squared errors.
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
    Options part = options_;
    std::tie(part.start, part.duration) = found_.parts[number];
    RunFiles files;
    JobOptions options = job_options(part, {}, files, interrupted_, nullptr);
    if (!frames_before_.empty()) options.source.frames_before = frames_before_[number];
    Job job(std::move(options));
    job.open();
    const RunResult result = job.run({});
    if (interrupted_) throw Error(MessageKind::interrupted, "interrupted", "", "");
    return result.measured.value_or(Measured());
  }

  Options options_;
  const std::atomic<bool>& interrupted_;
  RunFiles files_;
  QualityScale scale_;
  FoundQuality found_;
  std::vector<std::int64_t> frames_before_;  // for each range, if filters or boxes count frames
};

}  // namespace

FoundQuality find_quality(const Options& options, const std::atomic<bool>& interrupted) {
  return Search(options, interrupted).run();
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

nlohmann::ordered_json target_json(const FoundQuality& found) {
  using Json = nlohmann::ordered_json;
  const auto value = [](const std::optional<double>& reached) {
    return reached ? Json(*reached) : Json(nullptr);
  };
  Json tried = Json::array(), parts = Json::array();
  for (const QualityTry& one : found.tried)
    tried.push_back({{"crf", one.crf}, {"value", value(one.reached)}});
  for (const auto& [start, seconds] : found.parts)
    parts.push_back({{"start", start}, {"seconds", seconds}});
  return {{"measure", found.target.measure},
          {"wanted", found.target.value},
          {"encoder", found.encoder},
          {"crf", found.chosen.crf},
          {"value", value(found.chosen.reached)},
          {"tried", tried},
          {"parts", parts}};
}

}  // namespace vidconv
