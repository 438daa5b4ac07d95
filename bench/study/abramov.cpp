// A. Separable and shared-memory convolution: Abramov's lecture (2011), fp32, radius 8.
#include <fmt/format.h>

#include "bench/study/lab.h"

namespace vidconv::bench {
namespace {

struct AbramovRow {
  const char* label;
  std::string_view variant;
  bool dense;
  Cell published_400, published_2000;  // ms
};

void abramov_systems(const Lab& lab, Report& report) {
  const Kernel kernel = random_rank_1(17, 8, true);
  const Plan dense = dense_plan_of(kernel, float_samples), passes = plan_of(kernel, float_samples);
  const AbramovRow rows[] = {
      {"naive CPU", "study-naive", true, 91.0, 2330.0},
      {"naive GPU, taps in constant memory", "study-cuda-constant", true, 27.0, 693.0},
      {"shared tile with apron", "study-cuda-tile", true, 26.9, 663.0},
      {"flat tile, no bank conflicts", "study-cuda-flat", true, {}, {}},
      {"texture", "study-cuda-texture", true, {}, {}},
      {"separable", "study-cuda-separable", false, 3.0, 72.0},
      {"optimised separable", "study-cuda-separable-flat", false, 1.6, 38.0},
      {"padded arrays", "study-cuda-padded", false, {}, {}},
      {"separable, one thread", "study-separable", false, {}, {}},
      {"vidconv's choice, CPU", best_cpu, false, {}, {}},
      {"vidconv's choice, GPU", best_cuda, false, {}, {}},
  };
  Table table{
      "A",
      "fp32, 17x17, zero border; milliseconds a picture",
      {"system", "variant", "published 400x400", "400x400", "published 2000x2000", "2000x2000"},
      {},
      {"Published: a GPU and a CPU of 2011. The dense systems compute the matrix in one pass, "
       "the separable ones its two factors."}};
  struct At {
    Subject dense, passes;
  };
  const auto at = [&](int side) {
    return At{Subject(lab, dense, side, side), Subject(lab, passes, side, side)};
  };
  const At small = at(400), large = at(2000);
  for (const AbramovRow& row : rows) {
    const auto time = [&](const At& size, int side) -> Cell {
      if (!lab.takes(side, side)) return {};
      return cell((row.dense ? size.dense : size.passes).milliseconds(row.variant));
    };
    table.add({row.label, std::string(row.variant), row.published_400, time(small, 400),
               row.published_2000, time(large, 2000)});
  }
  report.tables.push_back(std::move(table));
}

void radii(const Lab& lab, Report& report) {
  Table table{"A-radius",
              "fp32, 2048x2048; microseconds a picture against the kernel's radius",
              {"radius", "texture, dense", "separable", "separable-flat", "vidconv's choice, GPU"},
              {},
              {"The lecture plots these curves for radius 1 to 32 without figures."}};
  constexpr int side = 2048;
  for (const int radius : {1, 2, 4, 8, 16, 32}) {
    if (!lab.takes(side, side) || !have_cuda()) break;
    const Kernel kernel = random_rank_1(2 * radius + 1, 9, true);
    const Subject passes(lab, plan_of(kernel, float_samples), side, side);
    const Subject dense(lab, dense_plan_of(kernel, float_samples), side, side);
    table.add({std::to_string(radius), cell(dense.microseconds("study-cuda-texture")),
               cell(passes.microseconds("study-cuda-separable")),
               cell(passes.microseconds("study-cuda-separable-flat")),
               cell(passes.microseconds(best_cuda))});
  }
  report.tables.push_back(std::move(table));
}

}  // namespace

void study_a(const Lab& lab, Report& report) {
  abramov_systems(lab, report);
  radii(lab, report);
}

}  // namespace vidconv::bench
