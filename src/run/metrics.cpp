#include "src/run/metrics.h"

#include <fmt/format.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace vidconv {
namespace {

using Json = nlohmann::ordered_json;

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    if (c == '\n')
      text += "\\n";
    else
      text += c;
  }
  return text;
}

class MetricsText {
 public:
  void family(std::string_view name, std::string_view help) {
    name_ = name;
    text_ += fmt::format("# HELP {} {}\n# TYPE {} gauge\n", name, help, name);
  }
  void value(double value, std::initializer_list<std::pair<std::string_view, Json>> labels = {}) {
    std::string list;
    for (const auto& [label, word] : labels)
      list += fmt::format("{}{}=\"{}\"", list.empty() ? "" : ",", label,
                          word.is_string() ? escaped(word.get<std::string>()) : "");
    text_ += list.empty() ? fmt::format("{} {}\n", name_, value)
                          : fmt::format("{}{{{}}} {}\n", name_, list, value);
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
  std::string_view name_;
};

}  // namespace

std::string metrics_text(const std::string& stats, double now) {
  const Json run = Json::parse(stats);
  MetricsText m;
  m.family("vidconv_run_info", "The last run, by labels; always 1.");
  m.value(1, {{"version", run["version"]},
              {"host", run["host"]},
              {"input", run["input"]["name"]},
              {"output", run["output"]["name"]},
              {"encoder", run["output"]["encoder"]},
              {"device", run["device"]}});
  m.family("vidconv_run_exit_code", "How it ended: 0 is success, 7 a damaged input.");
  m.value(run["exit_code"]);
  m.family("vidconv_run_end_timestamp_seconds", "When it ended, in seconds since 1970.");
  m.value(now);
  m.family("vidconv_run_seconds", "How long it filtered.");
  m.value(run["seconds"]);
  m.family("vidconv_run_frames", "Frames that came so far.");
  for (const auto& [stage, frames] : run["frames"].items()) m.value(frames, {{"stage", stage}});
  m.family("vidconv_run_output_bytes", "The size of the output.");
  m.value(run["output"]["bytes"]);
  m.family("vidconv_run_stage_busy_seconds", "How long each stage worked.");
  for (const Json& stage : run["stages"])
    m.value(stage["busy_seconds"], {{"stage", stage["name"]}});
  m.family("vidconv_run_damaged", "Damage to the input, counted.");
  for (const char* what : {"packets", "frames", "errors", "marked", "refused"})
    m.value(run["damage"][what], {{"what", what}});
  m.family("vidconv_run_memory_bytes", "Memory of frames.");
  m.value(run["memory"]["host_bytes"], {{"where", "host"}});
  m.value(run["memory"]["device_bytes"], {{"where", "device"}});
  if (const auto latency = run.find("latency"); latency != run.end()) {
    m.family("vidconv_run_latency_seconds", "From a frame's decoding to its being in the output.");
    m.value(latency->at("median_ms").get<double>() / 1000, {{"quantile", "0.5"}});
    m.value(latency->at("worst_ms").get<double>() / 1000, {{"quantile", "1"}});
  }
  return std::move(m).text();
}

}  // namespace vidconv
