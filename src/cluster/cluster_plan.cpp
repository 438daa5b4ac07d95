#include "src/cluster/cluster_plan.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/av/digest.h"
#include "pipeline/base/printable.h"
#include "pipeline/base/url.h"
#include "pipeline/source/survey.h"

extern "C" {
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
}

namespace vidconv {
namespace {

using Json = nlohmann::ordered_json;

constexpr int plan_schema = 1;
constexpr std::size_t key_digits = 16;

std::string library_version(unsigned version) {
  return fmt::format("{}.{}.{}", AV_VERSION_MAJOR(version), AV_VERSION_MINOR(version),
                     AV_VERSION_MICRO(version));
}

[[noreturn]] void refuse_plan(const std::string& value, const std::string& why) {
  throw Error(MessageKind::plan, "the plan cannot be used", value, why,
              "make it again with 'vidconv plan'");
}

// What every part has in common.
Json common_json(const ClusterPlan& plan) {
  return {{"schema", plan_schema},
          {"versions", plan.versions},
          {"source", {{"bytes", plan.source.bytes}, {"digest", plan.source.digest}}},
          {"options", plan.words.job},
          {"kernels", plan.kernels},
          {"header", plan.header},
          {"time_base", {plan.time_base.num, plan.time_base.den}}};
}

}  // namespace

std::string ClusterPlan::json() const {
  for (const std::string& name : {source.path, output})
    if (!is_utf8(name))
      throw Error(MessageKind::command_line, "a plan cannot name", name,
                  "its name is not UTF-8, and JSON holds nothing else", "use another name for it");
  Json all = common_json(*this);
  all["source"]["path"] = source.path;
  all["output"] = output;
  all["machine"] = words.machine;
  all["shards"] = shards;
  all["seeks"] = seeks;
  all["counted"] = counted;
  all["frames"] = frames();
  all["parts"] = Json::array();
  for (std::size_t i = 0; i < parts.size(); ++i)
    all["parts"].push_back(
        {{"begin", parts[i].begin}, {"frames", parts[i].frames}, {"key", key(i)}});
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
    plan.source = {source.at("path"), source.at("bytes"), source.at("digest")};
    all.at("output").get_to(plan.output);
    all.at("options").get_to(plan.words.job);
    all.at("machine").get_to(plan.words.machine);
    all.at("shards").get_to(plan.shards);
    all.at("kernels").get_to(plan.kernels);
    all.at("header").get_to(plan.header);
    plan.time_base = {all.at("time_base").at(0), all.at("time_base").at(1)};
    all.at("seeks").get_to(plan.seeks);
    all.at("counted").get_to(plan.counted);
    for (const Json& part : all.at("parts")) {
      plan.parts.push_back({part.at("begin"), part.at("frames")});
      if (plan.key(plan.parts.size() - 1) != part.at("key").get<std::string>())
        refuse_plan(name, "it was changed by hand: its keys are not those of what it says");
    }
  } catch (const nlohmann::json::exception& error) {
    refuse_plan(name, verbatim(error.what()));
  }
  if (plan.parts.empty()) refuse_plan(name, "it has no parts");
  return plan;
}

ClusterPlan ClusterPlan::load(const std::string& folder) {
  const std::string path = folder + "/plan.json";
  return parse(read_text(path, MessageKind::plan), path);
}

// Where the part ends does not follow from its frames alone.
std::string ClusterPlan::key(std::size_t part) const {
  Json all = common_json(*this);
  all["first"] = parts.at(0).begin;
  all["begin"] = parts.at(part).begin;
  all["frames"] = parts[part].frames;
  return digest_of(all.dump()).substr(0, key_digits);
}

Interval ClusterPlan::interval(std::size_t part, VideoInfo video) const {
  if (auto& before = video.clock.frames_before)
    for (std::size_t i = 0; i < part; ++i) *before += parts.at(i).frames;
  return {.begin = parts.at(part).begin,
          .end = part + 1 < parts.size() ? parts[part + 1].begin : INT64_MAX,
          .first = part == 0,
          .seeks = seeks,
          .video = std::move(video)};
}

Options ClusterPlan::options(const std::vector<std::string>& more) const {
  KeptWords kept = words;
  kept.job.push_back("--shards=" + shards);
  return options_of(source.path, output, kept, more);
}

std::int64_t ClusterPlan::frames() const {
  std::int64_t all = 0;
  for (const Part& part : parts) all += part.frames;
  return all;
}

std::map<std::string, std::string> library_versions() {
  return {{"vidconv", VIDCONV_VERSION},
          {"libavcodec", library_version(avcodec_version())},
          {"libavformat", library_version(avformat_version())},
          {"libavutil", library_version(avutil_version())},
          {"libswresample", library_version(swresample_version())},
          {"libswscale", library_version(swscale_version())}};
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
      digests[file] = digest_of(read_text(file, MessageKind::plan));
  return digests;
}

void check_host(const ClusterPlan& plan, const Options& options) {
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
