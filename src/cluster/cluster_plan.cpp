#include "src/cluster/cluster_plan.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "pipeline/base/printable.h"
#include "pipeline/base/url.h"
#include "pipeline/io/digest.h"
#include "pipeline/source/packet_survey.h"

extern "C" {
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
}

namespace vidconv {
namespace {

using Json = nlohmann::ordered_json;

constexpr int plan_schema = 2;
constexpr std::size_t key_digits = 16;

std::string library_version(unsigned version) {
  return fmt::format("{}.{}.{}", AV_VERSION_MAJOR(version), AV_VERSION_MINOR(version),
                     AV_VERSION_MICRO(version));
}

[[noreturn]] void refuse_plan(const std::string& value, const std::string& why) {
  throw Error(MessageKind::plan, "the plan cannot be used", value, why,
              "make it again with 'vidconv plan'");
}

// Throws std::out_of_range for anything but a whole number in this range.
std::int64_t whole(const Json& value, std::int64_t least, std::int64_t most) {
  const bool above = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
  if (!value.is_number_integer() || above || value.get<std::int64_t>() < least ||
      value.get<std::int64_t>() > most)
    throw std::out_of_range(fmt::format("{} is no whole number from {} to {}",
                                        verbatim(shortened(value.dump(), 40)), least, most));
  return value.get<std::int64_t>();
}

// Returns the members that all shards share.
Json common_json(const ClusterPlan& plan) {
  Json all{{"schema", plan_schema},
           {"versions", plan.versions},
           {"source", {{"bytes", plan.source.bytes}, {"digest", plan.source.digest}}},
           {"options", plan.words},
           {"ending", plan.ending},
           {"kernels", plan.kernels},
           {"header", plan.header},
           {"time_base", {plan.time_base.num, plan.time_base.den}}};
  if (plan.fitting) all["fitting"] = *plan.fitting;
  if (plan.audit) all["audit"] = true;
  return all;
}

// Adds what tells a shard from the others.
void add_part(const ClusterPlan& plan, const ClusterPlan::Part& part, Json& to) {
  to["begin"] = part.begin;
  to["frames"] = part.frames;
  if (part.end) to["end"] = *part.end;
  if (plan.fitting) to["before"] = part.before;
}

constexpr std::string_view keep_unchanged_word = "--keep-unchanged";

bool is_fitted(std::string_view word) {
  return word.starts_with("--crf=") || word.starts_with("--encoder-opt=");
}

}  // namespace

void ClusterPlan::check_names() const {
  std::vector<std::string> names{source.path, ending};
  names.insert(names.end(), words.begin(), words.end());
  for (const std::string& name : names)
    if (!is_utf8(name))
      throw Error(MessageKind::command_line, "a plan cannot name", name,
                  "its name is not UTF-8, and JSON holds nothing else", "use another name for it");
}

std::string ClusterPlan::json() const {
  check_names();
  Json all = common_json(*this);
  all["source"]["path"] = source.path;
  all["shards"] = shards;
  all["seeks"] = seeks;
  all["counted"] = counted;
  all["frames"] = frames();
  all["parts"] = Json::array();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Json part;
    add_part(*this, parts[i], part);
    part["key"] = key(i);
    all["parts"].push_back(part);
  }
  return all.dump(1) + "\n";
}

ClusterPlan ClusterPlan::parse(const std::string& text, const std::string& name) {
  ClusterPlan plan;
  try {
    const Json all = Json::parse(text);
    if (const int its = all.at("schema").get<int>(); its != plan_schema)
      refuse_plan(name, fmt::format("it is of schema {}, this vidconv knows {}", its, plan_schema));
    all.at("versions").get_to(plan.versions);
    const Json& source = all.at("source");
    plan.source = {source.at("path"), whole(source.at("bytes"), 1, INT64_MAX), source.at("digest")};
    all.at("options").get_to(plan.words);
    all.at("ending").get_to(plan.ending);
    all.at("shards").get_to(plan.shards);
    all.at("kernels").get_to(plan.kernels);
    all.at("header").get_to(plan.header);
    for (int* const number : {&plan.time_base.num, &plan.time_base.den})
      *number = static_cast<int>(
          whole(all.at("time_base").at(number == &plan.time_base.den ? 1 : 0), 1, INT_MAX));
    if (all.contains("fitting")) plan.fitting = all["fitting"].get<std::vector<std::string>>();
    if (plan.fitting.has_value() != plan.keeps_unchanged())
      refuse_plan(name, "what the encoder has to fit is there with --keep-unchanged alone");
    if (all.contains("audit")) all["audit"].get_to(plan.audit);
    all.at("seeks").get_to(plan.seeks);
    all.at("counted").get_to(plan.counted);
    std::int64_t frames_left = INT64_MAX;
    for (const Json& part : all.at("parts")) {
      const ClusterPlan::Part last =
          plan.parts.empty() ? ClusterPlan::Part{.begin = INT64_MIN} : plan.parts.back();
      plan.parts.push_back(
          {whole(part.at("begin"), last.end.value_or(last.begin) + !plan.parts.empty(),
                 INT64_MAX - 1),
           whole(part.at("frames"), 1, frames_left)});
      ClusterPlan::Part& its = plan.parts.back();
      frames_left -= its.frames;
      if (plan.fitting && part.contains("end"))
        its.end = whole(part["end"], its.begin + 1, INT64_MAX - 1);
      if (plan.fitting)
        its.before = whole(part.at("before"), last.before + last.frames, INT64_MAX - its.frames);
      if (plan.key(plan.parts.size() - 1) != part.at("key").get<std::string>())
        refuse_plan(name, "it was changed by hand: its keys are not those of what it says");
    }
  } catch (const nlohmann::json::exception& error) {
    refuse_plan(name, verbatim(error.what()));
  } catch (const std::out_of_range& error) {
    refuse_plan(name, error.what());
  }
  if (plan.parts.empty()) refuse_plan(name, "it has no parts");
  check_planned(name, plan.source.path, plan.words);
  if (plan.fitting) {
    if (const auto word = std::ranges::find_if_not(*plan.fitting, is_fitted);
        word != plan.fitting->end())
      refuse_plan(name, fmt::format("'{}' is no option that makes an encoder fit",
                                    verbatim(shortened(*word, longest_value))));
    check_planned(name, plan.source.path, *plan.fitting);
  }
  return plan;
}

ClusterPlan ClusterPlan::load(const std::string& folder) {
  const std::string path = folder + "/plan.json";
  return parse(read_text(path, MessageKind::plan), path);
}

// The first shard's begin is in the key, so that plans that begin elsewhere share no shards.
std::string ClusterPlan::key(std::size_t part) const {
  Json all = common_json(*this);
  all["first"] = parts.at(0).begin;
  add_part(*this, parts.at(part), all);
  return digest_of(all.dump()).substr(0, key_digits);
}

Interval ClusterPlan::interval(std::size_t part, VideoInfo video, const FrameReach& reach) const {
  // Returns how many frames of the video so many of the output stand for. A plan may claim any
  // number of them, and windows count no further.
  const auto of_video = [&](std::int64_t frames) {
    constexpr std::int64_t most = 1 << 29;
    std::int64_t all = 0;
    return __builtin_mul_overflow(frames, reach.every, &all) ? most : std::min(all, most);
  };
  std::size_t first = part, last = part;
  for (std::int64_t have = 0; first > 0 && have < reach.before;)
    have += of_video(parts.at(--first).frames);
  for (std::int64_t have = 0; last + 1 < parts.size() && have < reach.after;)
    have += of_video(parts[++last].frames);
  const std::int64_t before_first =
      first == 0 ? frames_before(0) : of_video(frames_before(first)) + reach.phase;
  if (auto& before = video.clock.frames_before) *before += before_first;
  return {
      .begin = parts.at(first).begin,
      .end = parts[last].end.value_or(last + 1 < parts.size() ? parts[last + 1].begin : INT64_MAX),
      .first = first == 0 && parts[first].before == 0,
      .seeks = seeks,
      .frames_before = before_first,
      .video = std::move(video)};
}

bool ClusterPlan::keeps_unchanged() const {
  return std::ranges::find(words, keep_unchanged_word) != words.end();
}

Options ClusterPlan::shard_options(const std::string& output,
                                   const std::vector<std::string>& machine) const {
  ClusterPlan shard = *this;
  if (fitting) {
    std::erase_if(shard.words, [](const std::string& word) {
      return is_fitted(word) || word == keep_unchanged_word;
    });
    shard.words.insert(shard.words.end(), fitting->begin(), fitting->end());
  }
  return shard.options(output, machine);
}

Options ClusterPlan::options(const std::string& output,
                             const std::vector<std::string>& machine) const {
  if (ending_of(output) != ending)
    throw Error(MessageKind::plan, "the plan cannot be used for", output,
                fmt::format("its parts are for an output with the ending '{}'", verbatim(ending)),
                "choose another name, or make another plan");
  std::vector<std::string> job = words;
  job.push_back("--shards=" + shards);
  return options_of(source.path, output, job, machine);
}

std::int64_t ClusterPlan::frames() const {
  std::int64_t all = 0;
  for (const Part& part : parts) all += part.frames;
  return all;
}

std::int64_t ClusterPlan::frames_before(std::size_t part) const {
  if (fitting) return parts.at(part).before;
  std::int64_t before = 0;
  for (std::size_t i = 0; i < part; ++i) before += parts.at(i).frames;
  return before;
}

std::map<std::string, std::string> library_versions() {
  return {{"vidconv", VIDCONV_VERSION},
          {"libavcodec", library_version(avcodec_version())},
          {"libavformat", library_version(avformat_version())},
          {"libavutil", library_version(avutil_version())},
          {"libswresample", library_version(swresample_version())},
          {"libswscale", library_version(swscale_version())}};
}

std::string ending_of(const std::string& output) {
  return std::filesystem::path(output).extension().string();
}

void check_shared(const std::string& input) {
  struct stat status;
  if (is_url(input) || stat(local_path(input).c_str(), &status) != 0 || S_ISREG(status.st_mode))
    return;
  throw Error(MessageKind::plan, "cannot share the input", input,
              "it is no file of which every host can read any place",
              "name a file, or a URL of one on a server that sends ranges");
}

ClusterPlan::Source identify(const std::string& input, const SourceOptions& options) {
  const Sample sample = vidconv::sample(input, options);
  return {is_url(input) ? input : std::filesystem::absolute(local_path(input)).string(),
          sample.bytes, digest_of(sample.pieces)};
}

std::map<std::string, std::string> digests_of_kernels(const Options& options) {
  std::map<std::string, std::string> digests;
  for (const FilterSpec& filter : options.filters)
    for (const std::string& file : filter.files())
      digests[file] = digest_of_regular(file, MessageKind::plan);
  return digests;
}

void check_host(const ClusterPlan& plan, const Options& options) {
  check_shared(plan.source.path);
  for (const auto& [name, version] : library_versions())
    if (const auto its = plan.versions.find(name);
        its == plan.versions.end() || its->second != version)
      refuse_plan(name, fmt::format("this host has version {}, the plan was made with {}", version,
                                    its == plan.versions.end() ? "none" : verbatim(its->second)));
  for (const auto& [path, digest] : digests_of_kernels(options))
    if (const auto its = plan.kernels.find(path);
        its == plan.kernels.end() || its->second != digest)
      refuse_plan(path, "the file of the kernel is not the one that the plan was made with");
}

void check_source(const ClusterPlan& plan, const SourceOptions& options) {
  SourceOptions quiet = options;
  quiet.notify = nullptr;
  const ClusterPlan::Source source = identify(plan.source.path, quiet);
  if (source.bytes != plan.source.bytes || source.digest != plan.source.digest)
    refuse_plan(redacted(plan.source.path), "the source is not the one that the plan was made of");
}

std::string part_path(const std::string& folder, std::size_t part, const std::string& key) {
  return fmt::format("{}/parts/{}-{}", folder, part, key);
}

}  // namespace vidconv
