// D. Kernel image processing with CUDA: Del Bimbo, Florence. Speed-up over the sequential program,
// Gaussian filters; 8-bit samples here.
#include <fmt/format.h>

#include "bench/study/lab.h"

namespace vidconv::bench {
namespace {

struct Size {
  const char* name;
  int width, height;
};
constexpr Size sizes[] = {{"480p", 854, 480},
                          {"720p", 1280, 720},
                          {"HD", 1920, 1080},
                          {"4K", 3840, 2160},
                          {"8K", 7680, 4320}};

struct DelBimboRow {
  Size size;
  int kernel;
  double global, constant, shared;  // published
};

void speed_up(const Lab& lab, Report& report) {
  const DelBimboRow rows[] = {
      {sizes[0], 3, 3646, 7709, 6682},    {sizes[1], 3, 4930, 9682, 8252},
      {sizes[2], 3, 8534, 11208, 9085},   {sizes[3], 3, 10603, 12181, 9990},
      {sizes[4], 3, 13781, 15118, 12433}, {sizes[2], 5, 11578, 13739, 14923},
      {sizes[2], 7, 13551, 15233, 20231}, {sizes[2], 9, 14237, 15679, 24850},
  };
  Table table{
      "D",
      "speed-up over the sequential program (study-naive), Gaussian",
      {"picture", "kernel", "sequential ms", "published global", "global", "published constant",
       "constant", "published shared", "shared", "read-only", "texture", "flat tile",
       "vidconv's choice, CPU", "vidconv's choice, GPU"},
      {},
      {"Published: neither the GPU nor the CPU is named, so that only the order of the columns "
       "and how they grow can be compared. Kernel times, without copies."}};
  for (const DelBimboRow& row : rows) {
    if (!lab.takes(row.size.width, row.size.height)) continue;
    const Subject subject(lab, dense_plan_of(binomial(row.kernel), byte_samples), row.size.width,
                          row.size.height);
    // The variants that serve users may take advantage of the kernel's rank 1.
    const Subject free(lab, plan_of(binomial(row.kernel), byte_samples), row.size.width,
                       row.size.height);
    const auto serial = subject.seconds("study-naive");
    const auto over = [&](std::string_view variant) {
      return cell(ratio(serial, subject.seconds(variant)));
    };
    table.add({row.size.name, fmt::format("{0}x{0}", row.kernel), cell(ratio(serial, 1e-3)),
               row.global, over("study-cuda-global"), row.constant, over("study-cuda-constant"),
               row.shared, over("study-cuda-tile"), over("study-cuda-readonly"),
               over("study-cuda-texture"), over("study-cuda-flat"),
               cell(ratio(serial, free.seconds(best_cpu))),
               cell(ratio(serial, free.seconds(best_cuda)))});
  }
  report.tables.push_back(std::move(table));
}

void layouts(const Lab& lab, Report& report) {
  Table table{"D-layout",
              "RGB, Gaussian 3x3, planar (SoA) against interleaved (AoS); microseconds",
              {"picture", "planar, global", "interleaved, global", "interleaved, a thread a pixel",
               "planar, vidconv's choice", "interleaved, vidconv's choice"},
              {},
              {"The last two on the GPU, or on the CPU where there is none."}};
  for (const Size& size : sizes) {
    if (!lab.takes(size.width, size.height)) continue;
    const Plan plan = dense_plan_of(binomial(3), byte_samples);
    const Subject planar(lab, plan, size.width, size.height, 3, false);
    const Subject interleaved(lab, plan, size.width, size.height, 3, true);
    const std::string_view best = have_cuda() ? best_cuda : best_cpu;
    table.add({size.name, cell(planar.microseconds("study-cuda-global")),
               cell(interleaved.microseconds("study-cuda-global")),
               cell(interleaved.microseconds("study-cuda-interleaved")),
               cell(planar.microseconds(best)), cell(interleaved.microseconds(best))});
  }
  report.tables.push_back(std::move(table));
}

void loading(const Lab& lab, Report& report) {
  Table table{
      "D-loading",
      "Gaussian 3x3, picture in host memory, result too; milliseconds",
      {"picture", "synchronous, pageable", "asynchronous, pinned, bands", "sync / async",
       "kernel alone (global)"},
      {},
      {"One picture at a time. vidconv's pipeline overlaps whole frames that lie in pinned "
       "memory from the start: `vidconv pattern:3840x2160 --kernel binomial --benchmark`."}};
  for (const Size& size : sizes) {
    if (!lab.takes(size.width, size.height) || !have_cuda()) continue;
    const Subject subject(lab, dense_plan_of(binomial(3), byte_samples), size.width, size.height);
    const auto sync = subject.milliseconds("study-load-sync");
    const auto async = subject.milliseconds("study-load-async");
    table.add({size.name, cell(sync), cell(async), cell(ratio(sync, async)),
               cell(subject.milliseconds("study-cuda-global"))});
  }
  report.tables.push_back(std::move(table));
}

}  // namespace

void study_d(const Lab& lab, Report& report) {
  speed_up(lab, report);
  layouts(lab, report);
  loading(lab, report);
}

}  // namespace vidconv::bench
