#include "src/options/measure_words.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/score/score.h"
#include "pipeline/base/url.h"

namespace vidconv {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of(char component) {
  return {static_cast<char>(std::tolower(static_cast<unsigned char>(component)))};
}

std::string shown(const MeasureName& measure, const std::optional<double>& value) {
  if (value) return fmt::format(fmt::runtime(measure.format), *value);
  return measure.wanted == &Measures::psnr || measure.wanted == &Measures::xpsnr ? "infinite"
                                                                                 : "unknown";
}

// JSON has no infinity: it becomes null.
Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json summary_json(const MeasureSummary& summary) {
  Json json = {{"all", number(summary.all)}};
  for (const auto& [name, value] : summary.components) json[name_of(name)] = number(value);
  json["worst"] = {{"frame", summary.worst.number},
                   {"time", summary.worst.time},
                   {"value", number(summary.worst.value)}};
  return json;
}

// Returns a value for the whole frame and for each component.
template <class Value>
Json by_component(const FrameScore& score, const std::optional<double>& all, Value&& value) {
  Json json = {{"all", number(all)}};
  for (const ComponentScore& part : score.components()) json[name_of(part.name)] = value(part);
  return json;
}

}  // namespace

std::string describe(const Measured& measured) {
  std::string text = fmt::format("measured against the filtered frames in {}", measured.given);
  if (measured.given != measured.filtered)
    text += fmt::format(", to which {} was converted for the encoder", measured.filtered);
  for (const MeasureName& measure : measure_names()) {
    const auto& summary = measured.*measure.summary;
    if (!summary) continue;
    text += fmt::format("; {} {}", measure.name, shown(measure, summary->all));
    std::string parts;
    for (const auto& [name, value] : summary->components)
      parts +=
          fmt::format("{}{} {}", parts.empty() ? "" : ", ", name_of(name), shown(measure, value));
    if (summary->components.size() > 1) text += fmt::format(" ({})", parts);
    text += fmt::format(", worst {} at {:.3f} s (frame {})", shown(measure, summary->worst.value),
                        summary->worst.time, summary->worst.number);
  }
  return text;
}

std::string in_short(const Measured& measured) {
  std::string text;
  for (const MeasureName& measure : measure_names())
    if (const auto& summary = measured.*measure.summary)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", measure.name,
                          shown(measure, summary->all));
  return text;
}

nlohmann::ordered_json measured_json(const Measured& measured) {
  Json json = {{"frames", measured.frames},
               {"filtered_format", measured.filtered},
               {"compared_format", measured.given},
               {"decoder", measured.decoder}};
  for (const MeasureName& measure : measure_names())
    if (const auto& summary = measured.*measure.summary)
      json[std::string(measure.name)] = summary_json(*summary);
  return json;
}

std::string measure_log_head(const Options& options) {
  Json names = Json::array();
  for (const MeasureName& measure : measure_names())
    if (options.measures.*measure.wanted) names.push_back(measure.name);
  const Json json = {{"schema", 1},
                     {"measures", names},
                     {"version", VIDCONV_VERSION},
                     {"input", redacted(options.input)},
                     {"output", redacted(options.output)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string measure_log_line(const FrameScore& score, const Measures& measures) {
  Json json = {{"frame", score.number}, {"time", score.time}};
  if (measures.psnr) {
    json["mse"] = by_component(score, score.mse, [](const auto& part) { return Json(part.mse); });
    json["psnr"] = by_component(score, psnr_of(score.mse, score.max), [](const auto& part) {
      return number(psnr_of(part.mse, part.max));
    });
  }
  if (measures.ssim)
    json["ssim"] =
        by_component(score, score.ssim, [](const auto& part) { return number(part.ssim); });
  if (measures.vmaf) json["vmaf"] = {{"all", number(score.vmaf)}};
  if (measures.xpsnr)
    json["xpsnr"] =
        by_component(score, score.xpsnr, [](const auto& part) { return number(part.xpsnr); });
  return json.dump() + "\n";
}

std::string measure_log_end(const Measured& measured) {
  return Json{{"summary", measured_json(measured)}}.dump() + "\n";
}

}  // namespace vidconv
