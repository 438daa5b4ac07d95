#include "src/run/benchmark.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "src/run/explain.h"
#include "src/run/report.h"

namespace vidconv {
namespace {

std::vector<Frame> read_samples(Source& source, std::size_t count) {
  std::vector<Frame> samples;
  while (samples.size() < count) {
    auto item = source.next();
    if (!item) break;
    if (auto* frame = std::get_if<Frame>(&*item)) samples.push_back(std::move(*frame));
  }
  if (samples.empty())
    throw Error(MessageKind::no_frame, "nothing to measure", "", "the input has no frames", "");
  return samples;
}

}  // namespace

BenchmarkResult run_benchmark(Source& source, Processor& processor, double seconds,
                              const FrameReach& reach) {
  const std::vector<Frame> samples = read_samples(source, sample_count(reach));
  return benchmark(processor, samples, seconds, reach);
}

std::string benchmark_table(const BenchmarkResult& result, const Source& source,
                            const Processor& processor) {
  std::string text =
      fmt::format("{}, {}, {} frames in memory at most\n", describe_video(source.video()),
                  processor.device(), result.samples);
  text += fmt::format("{:<12} {:>12} {:>10}\n", "stage", "frames/s", "GB/s");
  const auto line = [&](std::string_view name, double rate, double bytes) {
    const std::string bandwidth = bytes > 0 ? fmt::format(" {:>10.1f}", bytes / 1e9) : "";
    text += fmt::format("{:<12} {:>12.1f}{}\n", name, rate, bandwidth);
  };
  for (const StageRate& stage : result.alone)
    line(stage.name, stage.frames_per_second, stage.bytes_per_second);
  const double frame_bytes =
      result.bus ? result.bus->bytes_per_second / result.bus->frames_per_second : 0;
  line("all at once", result.overlapped, result.overlapped * frame_bytes);
  if (result.bus) line("bus", result.bus->frames_per_second, result.bus->bytes_per_second);
  for (const StageRate& bus : result.buses)
    line(bus.name, bus.frames_per_second, bus.bytes_per_second);
  text += fmt::format("all at once / {} alone (the slowest): {:.1f}%\n", result.slowest,
                      100 * result.efficiency);
  if (result.bus)
    text += fmt::format(
        "all at once / bus (copies in both directions at once{}, GB/s each way): {:.1f}%\n",
        result.buses.empty() ? "" : ", to all devices at once", 100 * result.of_bus);
  return text;
}

std::string benchmark_json(const BenchmarkResult& result, const Source& source,
                           const Processor& processor, const Sandbox* sandbox) {
  using Json = nlohmann::ordered_json;
  const auto rate = [](const StageRate& stage) {
    Json j{{"name", stage.name}, {"fps", stage.frames_per_second}};
    if (stage.bytes_per_second > 0) j["bytes_per_second"] = stage.bytes_per_second;
    return j;
  };
  Json j;
  j["schema"] = 1;
  j["version"] = VIDCONV_VERSION;
  j["input"] = {{"width", source.video().width},
                {"height", source.video().height},
                {"pixel_format", source.video().format->name}};
  j["device"] = processor.device();
  j["devices"] = devices_json(&processor);
  j["sandbox"] = sandbox_json(sandbox);
  j["variants"] = processor.variants();
  Json& b = j["benchmark"];
  b["alone"] = Json::array();
  for (const StageRate& stage : result.alone) b["alone"].push_back(rate(stage));
  b["overlapped_fps"] = result.overlapped;
  b["slowest"] = result.slowest;
  b["of_slowest"] = result.efficiency;
  b["bus"] = result.bus ? rate(*result.bus) : Json(nullptr);
  b["buses"] = Json::array();
  for (const StageRate& bus : result.buses) b["buses"].push_back(rate(bus));
  b["of_bus"] = result.bus ? Json(result.of_bus) : Json(nullptr);
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vidconv
