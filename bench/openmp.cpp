// vidconv-bench openmp: the same bands of a plane, shared among vidconv's threads and among
// OpenMP's.
#include <fmt/format.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/commands.h"
#include "bench/device.h"
#include "bench/planes.h"
#include "bench/report.h"
#include "kernels/convolver/bands.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "pipeline/platform/usable_threads.h"

namespace vidconv::bench {
namespace {

struct OpenmpSettings {
  std::vector<std::string> kernels = {"gaussian:sigma=1.5", "random:1,15", "sobel"};
  int width = 1920, height = 1080, threads = 0, rounds = 5;
  double seconds = 1;
  std::string json;
};

// A single-threaded filter for each thread, and the bands that the threads take.
class Bands {
 public:
  Bands(const std::string& kernel, const OpenmpSettings& s)
      : planes_(Device::cpu, {Storage::u8, 8, 0}, s.width, s.height, 16),
        cut_{.threads = s.threads, .rounds = 4},
        pool_(shared_thread_pool(s.threads)),
        height_(s.height) {
    const Choice choice =
        pick(make_plan(FilterSpec::parse(kernel).make(), {Storage::u8, 8, 0}, {}, Role::colour),
             Device::cpu);
    for (int i = 0; i < s.threads; ++i) convolvers_.push_back(choice.convolver(1));
    if (!convolvers_[0]->run_rows({&planes_.pair(0), 1}, {0, 1}))
      throw std::runtime_error(std::string(choice.variant->name) + " takes whole planes only");
  }

  void by_pool(int i) const {
    pool_->run(cut_.bands(), [&](int band, int thread) { filter(i, band, thread); });
  }
  void by_openmp(int i) const {
#pragma omp parallel num_threads(cut_.threads)
    {
#ifdef _OPENMP
      const int thread = omp_get_thread_num();
#else
      const int thread = 0;
#endif
#pragma omp for schedule(dynamic)
      for (int band = 0; band < cut_.bands(); ++band) filter(i, band, thread);
    }
  }

 private:
  void filter(int i, int band, int thread) const {
    convolvers_[static_cast<std::size_t>(thread)]->run_rows(
        {&planes_.pair(i), 1}, {cut_.edge(height_, band), cut_.edge(height_, band + 1)});
  }

  const Planes planes_;
  const Cut cut_;
  const std::shared_ptr<ThreadPool> pool_;
  const int height_;
  std::vector<std::unique_ptr<Convolver>> convolvers_;
};

int run(OpenmpSettings s) {
  if (s.threads == 0) s.threads = usable_threads();
  const char* const policy = std::getenv("OMP_WAIT_POLICY");
  Report report{typed_command(), describe_machine(), {}};
  Table& table = report.tables.emplace_back();
  table.id = "openmp";
  table.title = fmt::format("one plane of {}x{}, 8 bits, by {} threads, microseconds", s.width,
                            s.height, s.threads);
  table.columns = {"filter", "own threads", "OpenMP", "own / OpenMP"};
  table.notes = {fmt::format(
      "The median; of {} rounds, in which both take turns, the best. Both have the same bands and "
      "the same code for each. OMP_WAIT_POLICY is {}.",
      s.rounds, policy ? policy : "not set")};
  for (const std::string& kernel : s.kernels) {
    const Bands bands(kernel, s);
    double own = std::numeric_limits<double>::max(), openmp = own;
    const Effort effort{.seconds = s.seconds / s.rounds, .samples = 1000};
    for (int round = 0; round < s.rounds; ++round) {
      own = std::min(own, median_seconds(
                              Device::cpu, [&](int i) { bands.by_pool(i); }, effort));
      openmp = std::min(openmp, median_seconds(
                                    Device::cpu, [&](int i) { bands.by_openmp(i); }, effort));
    }
    table.add({kernel, 1e6 * own, 1e6 * openmp, own / openmp});
  }
  publish(report, s.json);
  return 0;
}

}  // namespace

Run openmp_command(CLI::App& app) {
  const auto s = std::make_shared<OpenmpSettings>();
  app.add_option("--kernel", s->kernels, "these filters")->capture_default_str();
  app.add_option("--width", s->width, "of the plane")
      ->check(CLI::Range(1, 16384))
      ->capture_default_str();
  app.add_option("--height", s->height, "of the plane")
      ->check(CLI::Range(1, 16384))
      ->capture_default_str();
  app.add_option("--threads", s->threads, "of both (default: as many as this process may use)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--seconds", s->seconds, "about how long each measurement lasts")
      ->check(CLI::Range(0.01, 60.0))
      ->capture_default_str();
  app.add_option("--json", s->json, "write the table to this file too (- is stdout)");
  return [s] { return run(*s); };
}

}  // namespace vidconv::bench
