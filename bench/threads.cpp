// vidconv-bench threads: the gain of more threads, beside their gain where nothing is computed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bench/commands.h"
#include "bench/device.h"
#include "bench/planes.h"
#include "bench/report.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "pipeline/platform/usable_threads.h"

namespace vidconv::bench {
namespace {

struct PlaneSize {
  const char* name;
  int width, height;
  int pairs;  // used in turn: together larger than a cache, unless planes are small
};
constexpr PlaneSize plane_sizes[] = {
    {"4K", 3840, 2160, 4}, {"HD", 1920, 1080, 16}, {"256x256", 256, 256, 1}};

struct ThreadsSettings {
  std::vector<std::string> kernels = {"random:1,3", "gaussian:sigma=1.5:radius=4", "random:1,15",
                                      "sobel"};
  std::vector<std::string> frames = {"4K", "HD", "256x256"};
  std::vector<int> depths = {8, 16, 32}, threads;
  double seconds = 0.3;
  int rounds = 5;
  bool fastest = false;
  std::string json;
};

SampleType samples_of_depth(int depth) {
  if (depth == 32) return {Storage::f32, 32, 0};
  return {depth == 8 ? Storage::u8 : Storage::u16, depth, 0};
}

// Seconds for each number of threads. They take turns, so that other work of the machine meets them
// alike.
class ThreadsSubject {
 public:
  ThreadsSubject(const std::string& kernel, int depth, const PlaneSize& size,
                 const ThreadsSettings& settings)
      : planes_(Device::cpu, samples_of_depth(depth), size.width, size.height, size.pairs) {
    const Plan plan =
        make_plan(FilterSpec::parse(kernel).make(), samples_of_depth(depth), {}, Role::colour);
    const Choice choice = pick(plan, Device::cpu);
    variant = choice.variant->name;
    std::vector<std::unique_ptr<Convolver>> convolvers;
    for (const int threads : settings.threads) convolvers.push_back(choice.convolver(threads));
    seconds.assign(convolvers.size(), std::numeric_limits<double>::max());
    for (int round = 0; round < settings.rounds; ++round)
      for (std::size_t i = 0; i < convolvers.size(); ++i)
        seconds[i] = std::min(seconds[i], measure(*convolvers[i], settings));
  }

  // Returns bytes a second, read and written, of the number of threads that is number `i`.
  double bandwidth(std::size_t i) const {
    return 2 * static_cast<double>(planes_.bytes()) / seconds[i];
  }

  std::string variant;
  std::vector<double> seconds;  // the best round

 private:
  double measure(Convolver& convolver, const ThreadsSettings& settings) const {
    return median_seconds(Device::cpu,
                          [&](int i) {
                            convolver.run({&planes_.pair(i), 1}, nullptr);
                          },
                          {.seconds = settings.seconds / settings.rounds,
                           .samples = 1000,
                           .fastest = settings.fastest});
  }

  const Planes planes_;
};

int run(ThreadsSettings settings) {
  if (settings.threads.empty())
    for (int n = 1; n <= usable_threads(); n *= 2) settings.threads.push_back(n);
  std::ranges::sort(settings.threads);
  if (settings.threads.front() != 1) settings.threads.insert(settings.threads.begin(), 1);
  Report report{typed_command(), describe_machine(), {}};
  Table& table = report.tables.emplace_back();
  table.id = "threads";
  table.title = "one plane on the CPU by several threads, microseconds";
  table.columns = {"filter",     "bits",        "frame",
                   "variant",    "threads",     "us",
                   "GB/s",       "memory GB/s", "of one thread, times",
                   "% of linear"};
  table.notes = {fmt::format(
      "The best of {} rounds, in which all numbers of threads take turns; in a round, {}. GB/s: "
      "read and written. Memory: planes that are copied, four of 4K in turn, by as many threads.",
      settings.rounds, settings.fastest ? "the fastest run" : "the median")};
  const ThreadsSubject memory("identity", 8, plane_sizes[0], settings);
  for (const std::string& kernel : settings.kernels)
    for (const PlaneSize& size : plane_sizes) {
      if (std::ranges::find(settings.frames, size.name) == settings.frames.end()) continue;
      for (const int depth : settings.depths) {
        const ThreadsSubject subject(kernel, depth, size, settings);
        for (std::size_t i = 0; i < settings.threads.size(); ++i) {
          const double times = subject.seconds[0] / subject.seconds[i];
          const double count = settings.threads[i];
          table.add({kernel, std::to_string(depth), size.name, subject.variant, count,
                     1e6 * subject.seconds[i], subject.bandwidth(i) / 1e9,
                     memory.bandwidth(i) / 1e9, times, 100 * times / count});
        }
      }
    }
  publish(report, settings.json);
  return 0;
}

}  // namespace

Run threads_command(CLI::App& app) {
  const auto s = std::make_shared<ThreadsSettings>();
  std::vector<std::string> names;
  for (const PlaneSize& size : plane_sizes) names.emplace_back(size.name);
  app.add_option("--kernel", s->kernels, "these filters")->capture_default_str();
  app.add_option("--frame", s->frames, "sizes of planes")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  app.add_option("--depth", s->depths, "bits of a sample; 32: float")
      ->check(CLI::IsMember({8, 10, 12, 16, 32}))
      ->capture_default_str();
  app.add_option("--threads", s->threads, "numbers of threads, 1 too (default: 1, 2, 4 ...)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  app.add_option("--seconds", s->seconds, "about how long each measurement lasts")
      ->check(CLI::Range(0.001, 60.0))
      ->capture_default_str();
  app.add_flag("--fastest", s->fastest,
               "the fastest of many runs, not the median: where others use the machine too");
  app.add_option("--json", s->json, "write the table to this file too (- is stdout)");
  return [s] { return run(*s); };
}

}  // namespace vidconv::bench
