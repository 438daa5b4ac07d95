#include "src/run/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kernels/plan/numerics.h"
#include "pipeline/base/url.h"
#include "pipeline/work/work_names.h"
#include "src/options/measure_words.h"
#include "src/options/option_names.h"
#include "src/process/interrupt.h"
#include "src/run/explain.h"
#include "src/run/html_report.h"
#include "src/run/metrics.h"
#include "src/run/target.h"

namespace vidconv {
namespace {

using Json = nlohmann::ordered_json;

// Every report of --stats begins with this.
constexpr std::string_view stats_beginning = "{\n  \"schema\": 1,\n  \"version\": \"";

double rate(std::int64_t frames, double seconds) {
  return seconds > 0 ? static_cast<double>(frames) / seconds : 0;
}

Json steps_json(const TimedWork& last, const Processor& processor) {
  const std::vector<std::string> variants = processor.variants();
  Json steps = Json::array();
  std::size_t variant = 0;
  for (const TimedWork* timed : stages_of(last)) {
    constexpr std::size_t most = 64;  // further cases differ only in values that change with time
    for (std::size_t number = 0; number < timed->cases().size(); ++number) {
      const Work& work = timed->cases()[number];
      if (number >= most) {
        variant += work.steps.size();
        continue;
      }
      for (const Step& step : work.steps) {
        const Plan& plan = step.plan;
        steps.push_back(
            {{"case", number},
             {"filter", work.links.empty() ? Json(nullptr) : Json(work.links[step.link].text)},
             {"components", component_names(work, step)},
             {"action", name_of(step.action)},
             {"variant", variants[variant++]},
             {"arithmetic", name_of(plan.arith)},
             {"two_passes", plan.terms[0].dense.empty()},
             {"exact", plan.exact},
             {"error_bound", plan.error_bound},
             {"border", plan.over_time ? name_of(plan.over_time->filter.over_time->border)
                                       : name_of(plan.border)}});
      }
    }
  }
  return steps;
}

// Returns each input stream's packet statistics: what became of the packets that were read.
Json ledger_json(const RunResult& r) {
  Json streams = Json::array();
  for (const PacketStatistics& a : r.streams) {
    Json& stream = streams.emplace_back();
    stream = {{"stream", a.stream},
              {"type", a.type},
              {"codec", a.codec.empty() ? Json(nullptr) : Json(a.codec)},
              {"filtered", a.filtered}};
    Json packets = {{"read", a.read}, {"outside", a.outside}};
    if (a.filtered) {
      packets["decoded"] = a.decoded;
      packets["refused"] = a.refused;
      packets["failed"] = a.failed;
      packets["hidden"] = a.hidden;
      packets["without_picture"] = a.without_picture;
      stream["frames"] = {{"received", a.frames},
                          {"outside", a.frames_outside},
                          {"between", a.frames_between},
                          {"unused", a.frames_unused},
                          {"handed_on", a.frames_handed_on}};
    } else {
      const auto found = r.copies.find(a.stream);
      const CopyStatistics copies = found == r.copies.end() ? CopyStatistics() : found->second;
      packets["unused"] = a.unused;
      packets["copied"] = copies.copied;
      packets["left_out"] = copies.left_out;
      packets["empty"] = copies.empty;
      packets["refused"] = copies.refused;
      packets["marked"] = a.marked;
      packets["decoded"] = copies.decoded;
      packets["failed"] = copies.failed;
      packets["encoded"] = copies.encoded;
    }
    stream["packets"] = packets;
  }
  return {{"streams", streams}};
}

// Returns which boxes were applied to which frames.
Json boxes_json(const Boxes& boxes) {
  Json all = Json::array();
  for (const BoxAccount& a : boxes.accounts())
    all.push_back({{"id", a.id.empty() ? Json(nullptr) : Json(a.id)},
                   {"line", a.line},
                   {"boxes", a.lines},
                   {"frames", a.frames},
                   {"first", a.frames > 0 ? Json(a.first) : Json(nullptr)},
                   {"last", a.frames > 0 ? Json(a.last) : Json(nullptr)}});
  return all;
}

const char* outcome(const RunResult& r, const Ending& ending) {
  if (ending.error) return "failed";
  if (ending.skipped) return "skipped";
  if (ending.interrupted) return "interrupted";
  return r.damage.any() ? "damaged" : "done";
}

Json error_json(const Error& error) {
  return {{"class", kind_of(error.kind()).name},
          {"what", with_option_names(error.act())},
          {"value", redacted(with_option_names(error.value().text()))},
          {"why", redacted(with_option_names(error.why()))},
          {"remedy", with_option_names(error.remedy())},
          {"frame", error.frame() ? Json(*error.frame()) : Json(nullptr)}};
}

// Returns whether a file is empty or an older report, so that nobody will miss it.
bool is_report(const std::string& path) {
  constexpr std::size_t enough = 512;  // more than the longest of the beginnings
  std::ifstream file(path);
  std::string start(enough, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  return file.is_open() &&
         (start.empty() || start.starts_with(stats_beginning) ||
          start.starts_with(Trace::beginning) || start.starts_with(measure_log_beginning) ||
          start.starts_with(html_report_beginning) || start.starts_with(metrics_beginning));
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// Returns the time of day in UTC, as in RFC 3339.
std::string time_of_day() { return fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr))); }

// Returns text for people.
std::string in_short(const LatencyLog& latency) {
  std::string text = fmt::format("latency {:.3g} ms, at worst {:.3g} ms", 1e3 * latency.median(),
                                 1e3 * latency.worst());
  if (latency.dropped > 0) text += fmt::format(", {} frames dropped", latency.dropped);
  if (latency.late() > 0) text += fmt::format(", {} late", latency.late());
  return text;
}

Json latency_json(const LatencyLog& latency) {
  return {{"limit_ms", 1e3 * latency.limit()},
          {"median_ms", 1e3 * latency.median()},
          {"worst_ms", 1e3 * latency.worst()},
          {"late", latency.late()},
          {"dropped", latency.dropped},
          {"most_waiting", latency.most_waiting},
          {"most_in_flight", latency.most_in_flight}};
}

// Returns whether another number of threads gives the same pixels: decoders with a picture for each
// thread conceal damage with whatever the previous picture holds by then.
bool is_repeatable(const Damage& d, const Options& options) {
  return options.threads == 1 || (d.packets == 0 && d.frames == 0 && d.errors == 0);
}

// Returns the members that every report begins with.
Json beginning_of_report(const Options& options) {
  Json j;
  j["schema"] = 1;
  j["version"] = VIDCONV_VERSION;
  j["numerics"] = numerics_version;
  j["host"] = host_name();
  j["command"] = Json::array();
  for (const std::string& word : options.command) j["command"].push_back(redacted(word));
  j["ended"] = time_of_day();
  return j;
}

Json messages_json(const std::vector<Said>& messages) {
  Json all = Json::array();
  for (const Said& said : messages)
    all.push_back({{"class", kind_of(said.kind).name}, {"text", said.line}});
  return all;
}

std::string text_of_report(const Json& report) {
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string summary(const RunResult& r, const std::string& output, const std::string& how) {
  std::string line = fmt::format("{} frames in {:.2f} s, {:.1f} frames/s", r.written, r.seconds,
                                 rate(r.encoded, r.seconds));
  if (const std::string stage = limiting_stage(r.stages); !stage.empty())
    line += fmt::format(" (limited by {})", stage);
  if (r.copied > 0) line += fmt::format(", {} copied as they are coded", r.copied);
  if (r.brought > r.copied) line += fmt::format(", {} kept from before", r.brought - r.copied);
  if (r.passed_on > 0) line += fmt::format(", {} passed on as they were", r.passed_on);
  if (r.latency) line += ", " + in_short(*r.latency);
  if (r.verified > 0) line += fmt::format(", {} verified by {}", r.verified, r.verified_by);
  if (r.measured) line += ", " + in_short(*r.measured);
  line += " -> " + output;
  return how.empty() ? line : line + fmt::format(" ({})", how);
}

std::string describe(const Damage& d, const std::string& input) {
  if (!d.any()) return "";
  std::string text = fmt::format("the input '{}' was damaged:", verbatim(input));
  const auto add = [&](const std::string& part) {
    text += (text.back() == ':' ? " " : ", ") + part;
  };
  if (d.packets > 0) add(fmt::format("{} packets could not be decoded", d.packets));
  if (d.frames > 0) add(fmt::format("{} frames are wrong in places", d.frames));
  if (d.marked > 0) add(fmt::format("{} packets of other streams are damaged", d.marked));
  if (d.refused > 0)
    add(fmt::format("{} packets of other streams make no sense and were left out", d.refused));
  if (d.errors > 0) add(fmt::format("{} errors were reported, first: {}", d.errors, d.first_error));
  if (!d.truncated.empty()) add(d.truncated);
  return text;
}

nlohmann::ordered_json devices_json(const Processor* processor) {
  Json devices = Json::array();
  if (!processor) return devices;
  for (const DeviceUse& use : processor->devices())
    devices.push_back({{"device", fmt::format("cuda:{}", use.index)},
                       {"name", use.name},
                       {"numa_node", use.node ? Json(*use.node) : Json(nullptr)},
                       {"frames", use.frames},
                       {"uploads", use.uploads},
                       {"failed", use.failed}});
  return devices;
}

nlohmann::ordered_json sandbox_json(const Sandbox* sandbox) {
  if (!sandbox) return nullptr;
  return {{"landlock", sandbox->abi},
          {"in_force", sandbox->in_force},
          {"why_not", sandbox->why_not.empty() ? Json(nullptr) : Json(sandbox->why_not)}};
}

std::string first_of(MessageKind kind, const std::vector<Said>& messages) {
  const auto found = std::ranges::find(messages, kind, &Said::kind);
  return found == messages.end() ? "" : found->line;
}

std::string stats_json(const RunResult& r, const Options& options, const Parts& parts,
                       const std::vector<Said>& messages, const Ending& ending) {
  Json j = beginning_of_report(options);
  j["outcome"] = outcome(r, ending);
  j["exit_code"] = ending.exit_code;
  j["error"] = ending.error ? error_json(*ending.error) : Json(nullptr);
  j["input"] = {{"name", redacted(options.input)},
                {"width", nullptr},
                {"height", nullptr},
                {"pixel_format", nullptr}};
  if (parts.source) {
    const VideoInfo& video = parts.source->video();
    j["input"]["width"] = video.width;
    j["input"]["height"] = video.height;
    j["input"]["pixel_format"] = video.format->name;
  }
  j["output"] = {{"name", redacted(options.output)}, {"encoder", nullptr}, {"bytes", r.bytes}};
  if (parts.sink) j["output"]["encoder"] = parts.sink->description();
  j["shards"] = nullptr;
  if (const auto& shards = options.shards)
    j["shards"] = {{"asked_for", shards->automatic   ? Json("auto")
                                 : shards->count > 0 ? Json(shards->count)
                                                     : Json(fmt::format("{:g}s", shards->length))},
                   {"written", r.parts}};
  j["device"] = parts.processor ? Json(parts.processor->device()) : Json(nullptr);
  j["devices"] = devices_json(parts.processor);
  const std::string failure = first_of(MessageKind::device_failed, messages);
  j["device_failure"] = failure.empty() ? Json(nullptr) : Json(failure);
  j["sandbox"] = sandbox_json(parts.sandbox);
  j["frames"] = {{"decoded", r.decoded},   {"dropped", r.latency ? r.latency->dropped : 0},
                 {"filtered", r.filtered}, {"passed_on", r.passed_on},
                 {"encoded", r.encoded},   {"brought", r.brought},
                 {"written", r.written},   {"verified", r.verified}};
  if (r.latency) j["latency"] = latency_json(*r.latency);
  j["verified_by"] = r.verified_by.empty() ? Json(nullptr) : Json(r.verified_by);
  if (ending.found) j["target"] = target_json(*ending.found);
  if (r.measured) j["measured"] = measured_json(*r.measured);
  j["damage"] = {
      {"packets", r.damage.packets},     {"frames", r.damage.frames},
      {"errors", r.damage.errors},       {"first_error", with_option_names(r.damage.first_error)},
      {"marked", r.damage.marked},       {"refused", r.damage.refused},
      {"truncated", r.damage.truncated}, {"repeatable", is_repeatable(r.damage, options)}};
  j["interrupted"] = ending.interrupted;
  j["messages"] = messages_json(messages);
  j["copied_packets"] = Json::object();
  for (const auto& [stream, copies] : r.copies)
    j["copied_packets"][std::to_string(stream)] = copies.copied;
  j["ledger"] = ledger_json(r);
  if (options.boxes) j["ledger"]["regions"] = boxes_json(*options.boxes);
  j["seconds"] = r.seconds;
  j["fps"] = rate(r.encoded, r.seconds);
  j["stages"] = Json::array();
  for (const StageTime& stage : r.stages)
    j["stages"].push_back({{"name", stage.name},
                           {"busy_seconds", stage.seconds},
                           {"fps", rate(r.encoded, stage.seconds)}});
  j["limiting_stage"] = limiting_stage(r.stages);
  j["plan"] =
      parts.work && parts.processor ? steps_json(*parts.work, *parts.processor) : Json::array();
  j["memory"] = {{"host_bytes", r.memory.host}, {"device_bytes", r.memory.device}};
  return text_of_report(j);
}

std::string stats_of_outputs(const std::vector<std::string>& reports, const Options& options,
                             const std::vector<Said>& messages, int exit_code) {
  Json j = beginning_of_report(options);
  j["exit_code"] = exit_code;
  j["messages"] = messages_json(messages);
  j["outputs"] = Json::array();
  for (const std::string& report : reports) j["outputs"].push_back(Json::parse(report));
  return text_of_report(j);
}

PartialFile::Options report_options(const std::string& what, const std::string& path,
                                    const Options& options, RunFiles& files) {
  files.writes(what, path);
  std::error_code error;  // only regular files are read here
  const bool ours = std::filesystem::is_regular_file(path, error) && is_report(path);
  return {.what = what,
          .overwrite = options.sink.overwrite || ours,
          .files = &files,
          .interrupted = &install_interrupt_handlers()};
}

}  // namespace vidconv
