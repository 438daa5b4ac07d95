#include "src/run/html_report.h"

extern "C" {
#include <libavutil/base64.h>
}

#include <cmath>
#include <nlohmann/json.hpp>

#include "src/run/report_page.h"

namespace vidconv {
namespace {

using Json = nlohmann::ordered_json;

std::string data_uri(const std::string& png) {
  std::string text(AV_BASE64_SIZE(png.size()), '\0');
  av_base64_encode(text.data(), static_cast<int>(text.size()),
                   reinterpret_cast<const std::uint8_t*>(png.data()), static_cast<int>(png.size()));
  text.resize(text.find('\0') == text.npos ? text.size() : text.find('\0'));
  return "data:image/png;base64," + text;
}

Json pictures_json(const RunWatch& watch) {
  Json all = Json::array();
  for (const RunWatch::Picture& picture : watch.pictures())
    all.push_back({{"frame", picture.number},
                   {"width", picture.width},
                   {"height", picture.height},
                   {"before", picture.before.empty() ? Json() : Json(data_uri(picture.before))},
                   {"after", data_uri(picture.after)}});
  return all;
}

Json samples_json(const RunWatch& watch) {
  Json all = Json::array();
  for (const RunWatch::Sample& sample : watch.samples()) {
    Json busy = Json::object();
    for (const StageTime& stage : sample.stages) busy[stage.name] = stage.seconds;
    all.push_back({{"seconds", sample.seconds}, {"frames", sample.encoded}, {"busy", busy}});
  }
  return all;
}

Json scores_json(const RunWatch& watch) {
  Json all = Json::array();
  for (const RunWatch::Score& score : watch.scores())
    all.push_back({{"frame", score.number},
                   {"time", score.time},
                   {"psnr", score.psnr},
                   {"ssim", score.ssim}});
  return all;
}

void replace(std::string& text, std::string_view what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
}

}  // namespace

std::string for_script(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace))
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

std::string html_report(const std::string& stats, const RunWatch& watch) {
  const Json data = {{"stats", Json::parse(stats)},
                     {"pictures", pictures_json(watch)},
                     {"samples", samples_json(watch)},
                     {"scores", scores_json(watch)}};
  std::string page(report_page);
  replace(page, "@DATA@", for_script(data));
  return page;
}

}  // namespace vidconv
