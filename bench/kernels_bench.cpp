// Milliseconds a 4K 4:2:0 frame (12.44 million samples) for the CPU variant that serves each
// filter.
//
//   vidconv_kernel_bench --benchmark_filter=gaussian
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/convolve.h"
#include "kernels/parse.h"

namespace {

using namespace vidconv;

constexpr int width = 3840, height = 2160;

// Rank 2, so that it is computed in one pass: integers over a common divisor.
Filter dense(int size) {
  std::minstd_rand random(1);
  std::vector<double> taps;
  for (int i = 0; i < size * size; ++i) taps.push_back(static_cast<double>(random() % 7 + 1) / 256);
  Filter filter;
  filter.kernels = {Kernel(size, size, std::move(taps))};
  return filter;
}

// The three planes of a frame, one after another.
class Frame {
 public:
  explicit Frame(SampleType sample)
      : bytes_(static_cast<std::size_t>(width * height * 3 / 2 * sample.bytes())), sample_(sample) {
    std::minstd_rand random(2);
    const auto noise = [&] { return random() >> 8 & static_cast<unsigned>(sample.max()); };
    if (sample.storage == Storage::u8) {
      for (std::byte& b : bytes_) b = static_cast<std::byte>(noise());
    } else {
      for (std::size_t i = 0; i < bytes_.size(); i += 2) {
        const auto code = static_cast<std::uint16_t>(noise());
        std::memcpy(&bytes_[i], &code, sizeof code);
      }
    }
  }

  std::vector<BytePlane> planes() {
    std::vector<BytePlane> result;
    std::byte* at = bytes_.data();
    for (int shift : {0, 1, 1}) {
      result.push_back({at, std::ptrdiff_t{width >> shift} * sample_.bytes(), width >> shift,
                        height >> shift, 1});
      at += result.back().stride * result.back().height;
    }
    return result;
  }

 private:
  std::vector<std::byte> bytes_;
  SampleType sample_;
};

void run(benchmark::State& state, const Filter& filter, SampleType sample, int threads) {
  const Plan plan = make_plan(filter, sample, {}, Role::colour);
  const Variant& variant = pick(plan, Device::cpu);
  const auto convolver = variant.make(plan, threads);
  Frame src(sample), dst(sample);
  std::vector<PlanePair> pairs;
  const auto from = src.planes();
  const auto to = dst.planes();
  for (std::size_t i = 0; i < from.size(); ++i)
    pairs.push_back({from[i].as<const std::byte>(), to[i]});
  for (auto _ : state) convolver->run(pairs, nullptr);
  state.SetLabel(std::string(variant.name));
}

void add(const std::string& name, const Filter& filter) {
  for (const SampleType sample : {SampleType{Storage::u8, 8, 0}, SampleType{Storage::u16, 10, 0},
                                  SampleType{Storage::u16, 16, 0}})
    for (int threads : {1, 2})
      benchmark::RegisterBenchmark(
          fmt::format("{}/{}bit/{}t", name, sample.depth, threads).c_str(),
          [=](benchmark::State& state) { run(state, filter, sample, threads); })
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  for (const char* spec :
       {"identity", "box:size=3", "box:size=5", "box:size=7", "box:size=31",
        "gaussian:sigma=1:radius=1", "gaussian:sigma=1:radius=2", "gaussian:sigma=2:radius=4",
        "gaussian:sigma=2", "gaussian:sigma=3:radius=8", "gaussian:sigma=5", "sharpen", "emboss",
        "laplacian", "sobel", "sobel:norm=l1"})
    add(spec, FilterSpec::parse(spec).make());
  for (int size : {3, 5, 7, 9, 11, 31}) add(fmt::format("dense:size={}", size), dense(size));
  benchmark::RunSpecifiedBenchmarks();
}
