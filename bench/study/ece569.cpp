// B. 1D and 2D convolution with constant memory: ECE569, modules 45 and 46. It reports no times;
// its worked examples are unit tests (tests/kernels/variants/published_test.cpp).
#include "bench/study/lab.h"

namespace vidconv::bench {

void study_b(const Lab& lab, Report& report) {
  constexpr int side = 2048;
  Table table{"B",
              "2048x2048 samples, ghost cells of zero; microseconds",
              {"system", "variant", "8-bit", "fp32"},
              {},
              {"One dimension: the mask 3 4 5 4 3; two: the 5x5 mask of the course."}};
  report.tables.push_back(table);
  if (!lab.takes(side, side)) return;
  const std::vector<double> mask = {3, 4, 5, 4, 3};
  const Kernel row(5, 1, mask), column(1, 5, mask);
  const Kernel matrix(5, 5,
                      {1, 2, 3, 2, 1, 2, 3, 4, 3, 2, 3, 4, 5, 4, 3, 2, 3, 4, 3, 2, 1, 2, 3, 2, 1});
  struct Line {
    const char* label;
    std::string_view variant;
    const Kernel* kernel;
  };
  const Line lines[] = {
      {"1D along rows, one thread of the CPU", "study-naive", &row},
      {"1D along rows, read-only path", "study-cuda-row", &row},
      {"1D along rows, constant memory", "study-cuda-constant", &row},
      {"1D along rows, tiled", "study-cuda-row-tiled", &row},
      {"1D along columns", "study-cuda-column", &column},
      {"2D, global memory", "study-cuda-global", &matrix},
      {"2D, read-only path", "study-cuda-readonly", &matrix},
      {"2D, constant memory", "study-cuda-constant", &matrix},
      {"2D, vidconv's choice, CPU", best_cpu, &matrix},
      {"2D, vidconv's choice, GPU", best_cuda, &matrix},
  };
  for (const Line& line : lines) {
    const auto time = [&](SampleType sample) {
      return cell(
          Subject(lab, dense_plan_of(*line.kernel, sample), side, side).microseconds(line.variant));
    };
    report.tables.back().add(
        {line.label, std::string(line.variant), time(byte_samples), time(float_samples)});
  }
}

}  // namespace vidconv::bench
