#include "src/benchmark.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "pipeline/benchmark.h"
#include "src/explain.h"

namespace vidconv {
namespace {

constexpr std::size_t sample_frames = 8;  // different ones, so that no cache holds them all

std::vector<Frame> read_samples(Source& source) {
  std::vector<Frame> samples;
  while (samples.size() < sample_frames) {
    auto item = source.next();
    if (!item) break;
    if (auto* frame = std::get_if<Frame>(&*item)) samples.push_back(std::move(*frame));
  }
  if (samples.empty())
    throw Error(Fault::input, "nothing to measure", "", "the input has no frames", "");
  return samples;
}

}  // namespace

std::string run_benchmark(Source& source, Processor& processor, double seconds) {
  const std::vector<Frame> samples = read_samples(source);
  const BenchmarkResult result = benchmark(processor, samples, seconds);

  std::string text = fmt::format("{}, {}, {} frames in memory\n", describe_video(source.video()),
                                 processor.device(), samples.size());
  text += fmt::format("{:<12} {:>12} {:>10}\n", "stage", "frames/s", "GB/s");
  for (const StageRate& stage : result.alone) {
    const std::string bandwidth =
        stage.bytes_per_second > 0 ? fmt::format("{:.1f}", stage.bytes_per_second / 1e9) : "";
    text +=
        fmt::format("{:<12} {:>12.1f} {:>10}\n", stage.name, stage.frames_per_second, bandwidth);
  }
  text += fmt::format("{:<12} {:>12.1f}\n", "all at once", result.overlapped);
  text += fmt::format("all at once / {} alone (the slowest): {:.1f}%\n", result.slowest,
                      100 * result.efficiency);
  return text;
}

}  // namespace vidconv
