// E. 2D convolution with CUDA and OpenMP: Tanasa, Florence (Ryzen 7 4800H, RTX 2060 Mobile).
#include <fmt/format.h>

#include "bench/study/lab.h"

namespace vidconv::bench {
namespace {

constexpr int kernel_size = 5;

void openmp(const Lab& lab, Report& report) {
  Table table{
      "E-openmp",
      fmt::format("speed-up over the serial program (study-naive), 8-bit, 5x5, {} threads",
                  lab.threads),
      {"picture", "serial ms", "published OpenMP, 16 threads", "study-openmp", "study-openmp-simd",
       "vidconv's choice, CPU", "study-cuda-shape-32x16", "vidconv's choice, GPU"},
      {},
      {"The published kernel's size is not known."}};
  struct Row {
    int side;
    double published;
  };
  for (const Row& row : {Row{256, 4.06}, {512, 9.47}, {1024, 12.76}, {2048, 14.28}}) {
    if (!lab.takes(row.side, row.side)) continue;
    const Subject subject(lab, dense_plan_of(binomial(kernel_size), byte_samples), row.side,
                          row.side);
    const auto serial = subject.seconds("study-naive");
    const auto over = [&](std::string_view variant) {
      return cell(ratio(serial, subject.seconds(variant)));
    };
    table.add({fmt::format("{0}x{0}", row.side), cell(ratio(serial, 1e-3)), row.published,
               over("study-openmp"), over("study-openmp-simd"), over(best_cpu),
               over("study-cuda-shape-32x16"), over(best_cuda)});
  }
  report.tables.push_back(std::move(table));
}

void shapes(const Lab& lab, Report& report) {
  constexpr int side = 2048;
  Table table{"E-shape",
              "tile shapes, 8-bit, 2048x2048; microseconds",
              {"shape", "published", "5x5", "9x9", "15x15"},
              {},
              {"Published: picture and kernel not given."}};
  struct Row {
    const char* shape;
    Cell published;
  };
  for (const Row& row :
       {Row{"32x32", 80.9}, {"16x16", 77.3}, {"32x16", 69.1}, {"32x8", {}}, {"64x4", {}}}) {
    if (!lab.takes(side, side) || !have_cuda()) break;
    std::vector<Cell> cells = {row.shape, row.published};
    for (const int size : {5, 9, 15}) {
      // Uses whole numbers: binomials of 15x15 exceed 32 bits.
      const Kernel kernel = size < 15 ? binomial(size) : random_rank_1(size, 15, false);
      const Subject subject(lab, dense_plan_of(kernel, byte_samples), side, side);
      cells.push_back(cell(subject.microseconds(fmt::format("study-cuda-shape-{}", row.shape))));
    }
    table.add(std::move(cells));
  }
  report.tables.push_back(std::move(table));
}

void timed_parts(const Lab& lab, Report& report) {
  Table table{
      "E-parts",
      "what is timed, 8-bit, 5x5; speed-up over study-naive",
      {"picture", "variant", "kernel us", "and copies us", "and allocation us", "speed-up: kernel",
       "and copies", "and allocation"},
      {},
      {"Copies from and to memory that is not pinned; allocation of both pictures each time."}};
  for (const int side : {256, 512, 1024, 2048, 4096}) {
    if (!lab.takes(side, side) || !have_cuda()) break;
    const Subject subject(lab, dense_plan_of(binomial(kernel_size), byte_samples), side, side);
    const auto serial = subject.seconds("study-naive");
    for (const std::string_view variant : {std::string_view("study-cuda-shape-32x16"), best_cuda}) {
      const auto parts = subject.parts(variant);
      if (!parts) continue;
      table.add({fmt::format("{0}x{0}", side), std::string(variant), 1e6 * parts->kernel,
                 1e6 * parts->copies, 1e6 * parts->allocation, cell(ratio(serial, parts->kernel)),
                 cell(ratio(serial, parts->copies)), cell(ratio(serial, parts->allocation))});
    }
  }
  report.tables.push_back(std::move(table));
}

}  // namespace

void study_e(const Lab& lab, Report& report) {
  openmp(lab, report);
  shapes(lab, report);
  timed_parts(lab, report);
}

}  // namespace vidconv::bench
