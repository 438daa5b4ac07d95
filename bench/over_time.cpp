// vidconv-bench time: filters over time on a CUDA device, beside a plain kernel that reads as many
// frames and writes one.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/commands.h"
#include "bench/device.h"
#include "bench/planes.h"
#include "bench/report.h"
#include "kernels/convolver/time_convolver.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"

#ifdef VIDCONV_HAVE_CUDA
#include "bench/plain_frames.h"
#endif

namespace vidconv::bench {
namespace {

struct TimeSettings {
  std::vector<int> frames = {3, 5, 9}, depths = {8, 10};
  double seconds = 0.1;
  int rounds = 3;
  std::string json;
};

#ifdef VIDCONV_HAVE_CUDA

struct Size {
  const char* name;
  int width, height;
};
constexpr Size sizes[] = {
    {"1920x1080", 1920, 1080}, {"3840x2160", 3840, 2160}, {"7680x4320", 7680, 4320}};

// Frames of 4:2:0 in a ring, and a ring of results, as a video passes through them.
class Video {
 public:
  Video(const Size& size, const SampleType& sample, int window)
      : sample_(sample), window_(window), luma_{size.width, size.height} {
    const std::vector<std::byte> some = noise(sample, std::size_t{1} << 20, 1);
    std::vector<std::byte> frame(bytes());
    for (std::size_t i = 0; i < frame.size(); i += some.size())
      std::copy_n(some.begin(), std::min(some.size(), frame.size() - i),
                  frame.begin() + static_cast<std::ptrdiff_t>(i));
    for (int i = 0; i < window + slots; ++i)
      sources_.emplace_back(Device::cuda, bytes()).upload(frame);
    for (int i = 0; i < slots; ++i) results_.emplace_back(Device::cuda, bytes());
  }

  std::size_t bytes() const {
    return static_cast<std::size_t>(luma_[0]) * static_cast<std::size_t>(luma_[1]) * 3 / 2 *
           static_cast<std::size_t>(sample_.bytes());
  }
  std::byte* source(int n) const {
    return sources_[static_cast<std::size_t>(n) % sources_.size()].data();
  }
  std::byte* result(int n) const {
    return results_[static_cast<std::size_t>(n) % results_.size()].data();
  }

  // Queues the filter on the window that begins with frame n.
  void filter(TimeConvolver& convolver, int n) const {
    std::array<TimeFrame, 16> taps;
    for (int k = 0; k < window_; ++k) taps[static_cast<std::size_t>(k)] = frame(n + k);
    const TimeFrame here = frame(n + window_ / 2);
    convolver.set_frames({taps.data(), static_cast<std::size_t>(window_)}, here);
    std::array<PlanePair, 3> pairs;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const ConstBytePlane src{.data = here.planes[p].data,
                               .stride = here.planes[p].stride,
                               .width = p == 0 ? luma_[0] : luma_[0] / 2,
                               .height = here.planes[p].rows};
      pairs[p] = {src, src.at(result(n) + (src.data - here.planes[0].data))};
    }
    convolver.run(pairs, stream_of(Device::cuda));
  }

  void read_and_write(int n, int vectors) const {
    std::array<const std::byte*, most_plain_frames> frames{};
    for (int k = 0; k < window_; ++k) frames[static_cast<std::size_t>(k)] = source(n + k);
    bench::read_and_write({frames.data(), static_cast<std::size_t>(window_)}, result(n), bytes(),
                          vectors, stream_of(Device::cuda));
  }

 private:
  static constexpr int slots = 8;

  TimeFrame frame(int n) const {
    const std::ptrdiff_t row = std::ptrdiff_t{luma_[0]} * sample_.bytes();
    const std::byte* const first = source(n);
    TimeFrame made{.number = n, .planes = {}};
    made.planes[0] = {first, row, luma_[1]};
    made.planes[1] = {first + row * luma_[1], row / 2, luma_[1] / 2};
    made.planes[2] = {first + row * luma_[1] * 5 / 4, row / 2, luma_[1] / 2};
    return made;
  }

  const SampleType sample_;
  const int window_;
  const std::array<int, 2> luma_;
  std::vector<Memory> sources_, results_;
};

void measure(const TimeSettings& settings, const Size& size, int depth, int frames, Table& table) {
  const SampleType sample{depth == 8 ? Storage::u8 : Storage::u16, depth, 0};
  const Video video(size, sample, frames);
  const Plan plan = make_plan(FilterSpec::parse(fmt::format("time-box:size={}", frames)).make(),
                              sample, {}, Role::colour);
  const Choice choice = pick(plan, Device::cuda, cuda_abilities(0));
  const auto convolver = choice.convolver(1);
  auto& over_time = dynamic_cast<TimeConvolver&>(*convolver);
  constexpr std::array ways = {1, 2, 4};  // vectors of a thread
  std::array<double, 3> plain;
  plain.fill(std::numeric_limits<double>::max());
  double ours = plain[0];
  const Effort effort{.seconds = settings.seconds};
  for (int round = 0; round < settings.rounds; ++round) {  // in turns
    ours = std::min(ours, median_seconds(
                              Device::cuda, [&](int i) { video.filter(over_time, i); }, effort));
    for (std::size_t w = 0; w < ways.size(); ++w)
      plain[w] = std::min(
          plain[w], median_seconds(
                        Device::cuda, [&](int i) { video.read_and_write(i, ways[w]); }, effort));
  }
  const double moved = static_cast<double>(video.bytes()) * (frames + 1) / 1e9;
  const double best = std::ranges::min(plain);
  table.add({size.name, std::to_string(depth), std::to_string(frames), 1e6 * ours, moved / ours,
             1e6 * plain[0], 1e6 * plain[1], 1e6 * plain[2], moved / best, ours / best});
}

int run(const TimeSettings& settings) {
  if (!have_cuda()) throw std::runtime_error(describe_gpu());
  Table table{
      .id = "time",
      .title = "means over frames beside a plain kernel, microseconds a frame",
      .columns = {"4:2:0", "bits", "frames", "vidconv us", "GB/s", "plain us, 16 bytes a thread",
                  "32 bytes", "64 bytes", "GB/s of the fastest", "vidconv / the fastest"},
      .rows = {},
      .notes = {"A plain kernel reads as many frames, adds words up and writes one. Each frame is "
                "a launch; windows "
                "follow each other as in a video. GB/s: bytes of the window and of the result, "
                "caches or not. "
                "The shortest of the rounds' medians."}};
  for (const Size& size : sizes)
    for (const int depth : settings.depths)
      for (const int frames : settings.frames) measure(settings, size, depth, frames, table);
  publish({.command = typed_command(), .machine = describe_machine(), .tables = {table}},
          settings.json);
  return 0;
}

#else

int run(const TimeSettings&) { throw std::runtime_error("this build has no CUDA"); }

#endif

}  // namespace

Run time_command(CLI::App& app) {
  const auto s = std::make_shared<TimeSettings>();
  app.add_option("--frames", s->frames, "windows of so many frames")
      ->check(CLI::IsMember({3, 5, 9}))
      ->capture_default_str();
  app.add_option("--depth", s->depths, "bits of a sample")
      ->check(CLI::IsMember({8, 10, 16}))
      ->capture_default_str();
  app.add_option("--seconds", s->seconds, "about how long each measurement lasts")
      ->check(CLI::Range(0.001, 60.0))
      ->capture_default_str();
  app.add_option("--rounds", s->rounds, "in turns, so often")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--json", s->json, "write the tables to this file too (- is stdout)");
  return [s] { return run(*s); };
}

}  // namespace vidconv::bench
