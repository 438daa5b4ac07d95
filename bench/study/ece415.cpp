// C. Separable filter on a Tesla K80: ECE415, Lab 3 (2024-25). Random taps from 0 to 15, random
// pixels from 0 to 255.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <random>

#include "bench/study/lab.h"

namespace vidconv::bench {
namespace {

struct Published {
  int radius;
  double decimals_float, decimals_double;
};
constexpr Published published[] = {{1, 2, 10}, {2, 1, 9},  {4, 0, 9},   {8, 0, 8},  {16, 0, 7},
                                   {32, 0, 7}, {64, 0, 7}, {128, 0, 6}, {256, 0, 5}};

// Returns one response of a separable kernel: the row pass, then the column pass. `fused` says
// whether multiply-adds round once, as a GPU's compiler makes them, or twice, as a CPU's does.
template <class Real>
Real response(std::span<const Real> row, std::span<const Real> column,
              std::span<const double> pixels, bool fused) {
  const auto add = [&](Real tap, Real x, Real sum) {
    return fused ? std::fma(tap, x, sum) : tap * x + sum;
  };
  Real sum = 0;
  for (std::size_t j = 0; j < column.size(); ++j) {
    Real across = 0;
    for (std::size_t i = 0; i < row.size(); ++i)
      across = add(row[i], static_cast<Real>(pixels[j * row.size() + i]), across);
    sum = add(column[j], across, sum);
  }
  return sum;
}

// Returns the decimals in which results agree whose largest difference is `difference`.
Cell decimals(double difference) {
  if (difference == 0) return std::string("all");
  return std::max(0.0, std::floor(-std::log10(difference)));
}

struct Agreement {
  double float_rounding = 0;   // float, once against twice rounded
  double double_rounding = 0;  // double, once against twice rounded
  double float_truth = 0;      // float, fused, against double
};

Agreement agreement(int radius) {
  const auto n = static_cast<std::size_t>(2 * radius + 1);
  std::mt19937 random(static_cast<unsigned>(radius));
  std::vector<double> row(n), column(n), pixels(n * n);
  for (auto* taps : {&row, &column})
    for (double& tap : *taps) tap = static_cast<double>(random() % 16);
  const std::vector<float> row_f(row.begin(), row.end()), column_f(column.begin(), column.end());
  Agreement worst;
  const auto widen = [](double& largest, double a, double b) {
    largest = std::max(largest, std::abs(a - b));
  };
  for (int trial = 0; trial < 32; ++trial) {
    for (double& pixel : pixels) pixel = 255.0 * static_cast<double>(random()) / 4294967295.0;
    const double exact = response<double>(row, column, pixels, true);
    widen(worst.double_rounding, exact, response<double>(row, column, pixels, false));
    // A float program has float pixels.
    for (double& pixel : pixels) pixel = static_cast<double>(static_cast<float>(pixel));
    const auto fused = static_cast<double>(response<float>(row_f, column_f, pixels, true));
    const auto twice = static_cast<double>(response<float>(row_f, column_f, pixels, false));
    widen(worst.float_rounding, fused, twice);
    widen(worst.float_truth, fused, response<double>(row, column, pixels, true));
  }
  return worst;
}

// Returns "all" where the variant gives the reference's bytes; nothing where it does not, or cannot
// run.
Cell same_bytes(const Subject& subject, std::string_view variant) {
  return subject.seconds(variant) ? Cell(std::string("all")) : Cell();
}

void accuracy(const Lab& lab, Report& report) {
  Table table{
      "C-accuracy",
      "decimals in which CPU and GPU agree",
      {"radius", "published float", "one rounding against two, float", "vidconv float",
       "float against double", "published double", "one rounding against two, double",
       "vidconv double"},
      {},
      {"The published programs differ because the GPU fuses multiply and add and the CPU does "
       "not: columns 3 and 7 repeat that on the CPU alone, the largest difference of 32 "
       "results. vidconv writes the fused operation and its order down for both sides; "
       "\"all\": the GPU's bytes are the reference's, float by study-cuda-separable, double "
       "by study-cuda-double on 8-bit samples (48x48; not where the matrix outgrows the "
       "test's time)."}};
  for (const Published& p : published) {
    const Agreement a = agreement(p.radius);
    const Kernel kernel = random_rank_1(2 * p.radius + 1, 11, false);
    const Subject floats(lab, plan_of(kernel, float_samples), 300, 200);
    const Subject bytes(lab, plan_of(kernel, byte_samples), 48, 48);
    table.add({std::to_string(p.radius), p.decimals_float, decimals(a.float_rounding),
               same_bytes(floats, "study-cuda-separable"), decimals(a.float_truth),
               p.decimals_double, decimals(a.double_rounding),
               p.radius <= 64 ? same_bytes(bytes, "study-cuda-double") : Cell()});
  }
  report.tables.push_back(std::move(table));
}

void single_block(const Lab& lab, Report& report) {
  Table table{
      "C-block",
      "fp32, 32x32, separable; microseconds",
      {"radius", "published CPU", "study-separable", "published GPU, one block", "study-cuda-block",
       "study-cuda-separable", "vidconv's choice, CPU"},
      {},
      {"Launches follow each other without waiting, so that the time to launch one is partly "
       "hidden; the published time includes it."}};
  struct Row {
    int radius;
    double cpu, gpu;
  };
  for (const Row& row : {Row{1, 9.7, 16.2}, {8, 46, 15.6}, {15, 81.7, 15.7}}) {
    const Subject subject(lab, plan_of(random_rank_1(2 * row.radius + 1, 12, true), float_samples),
                          32, 32);
    table.add({std::to_string(row.radius), row.cpu, cell(subject.microseconds("study-separable")),
               row.gpu, cell(subject.microseconds("study-cuda-block")),
               cell(subject.microseconds("study-cuda-separable")),
               cell(subject.microseconds(best_cpu))});
  }
  report.tables.push_back(std::move(table));
}

void grid(const Lab& lab, Report& report) {
  constexpr int side = 1024;
  Table table{"C-grid",
              "fp32, 1024x1024, separable; milliseconds",
              {"radius", "study-separable", "study-cuda-separable", "study-cuda-padded",
               "study-cuda-separable-flat", "vidconv's choice, CPU", "vidconv's choice, GPU"},
              {},
              {"The course reports run times in plots only. From radius 64 results are compared "
               "with those of "
               "vidconv's choice for the CPU, because the definition takes minutes."}};
  for (const Published& p : published) {
    if (!lab.takes(side, side)) break;
    const Subject subject(lab, plan_of(random_rank_1(2 * p.radius + 1, 13, true), float_samples),
                          side, side);
    std::vector<Cell> row = {std::to_string(p.radius)};
    for (const std::string_view variant :
         {std::string_view("study-separable"), std::string_view("study-cuda-separable"),
          std::string_view("study-cuda-padded"), std::string_view("study-cuda-separable-flat"),
          best_cpu, best_cuda})
      row.push_back(cell(subject.milliseconds(variant)));
    table.add(std::move(row));
  }
  report.tables.push_back(std::move(table));
}

void precision(const Lab& lab, Report& report) {
  constexpr int side = 1024;
  Table table{"C-double",
              "8-bit samples, 1024x1024, one pass, global memory; microseconds",
              {"radius", "int32 sums", "double sums", "double / int32"},
              {},
              {}};
  for (const int radius : {1, 2, 4, 8}) {
    if (!lab.takes(side, side) || !have_cuda()) break;
    const Subject subject(
        lab, dense_plan_of(random_rank_1(2 * radius + 1, 14, false), byte_samples), side, side);
    const auto integers = subject.microseconds("study-cuda-global");
    const auto doubles = subject.microseconds("study-cuda-double");
    table.add(
        {std::to_string(radius), cell(integers), cell(doubles), cell(ratio(doubles, integers))});
  }
  report.tables.push_back(std::move(table));
}

}  // namespace

void study_c(const Lab& lab, Report& report) {
  accuracy(lab, report);
  single_block(lab, report);
  grid(lab, report);
  precision(lab, report);
}

}  // namespace vidconv::bench
