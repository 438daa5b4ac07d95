#include "kernels/study/study.h"

#include <algorithm>

#include "kernels/convolve.h"
#include "kernels/study/lesson.h"

namespace vidconv {
namespace {

using namespace study;

constexpr Variant table[] = {
    {"study-naive", "one loop inside the other, a border test per tap, one thread", Device::cpu,
     supports_any, make_naive, needs_any},
    {"study-openmp", "the naive loops, OpenMP over rows", Device::cpu, supports_any, make_openmp,
     needs_any},
    {"study-openmp-simd", "OpenMP over rows, `omp simd` over the taps of a kernel row", Device::cpu,
     supports_openmp_simd, make_openmp_simd, "8-bit samples, one matrix in one pass"},
};

}  // namespace

std::span<const Variant> study_variants() { return table; }

namespace study {

bool supports_any(const Plan& plan) {
  const bool bytes = plan.sample == SampleType{Storage::u8, 8, 0} && plan.arith == Arith::int32;
  const bool floats = plan.sample.storage == Storage::f32 && plan.arith == Arith::float32;
  return (bytes || floats) && plan.terms.size() <= Lesson::capacity &&
         std::ranges::all_of(plan.terms, [](const Taps& t) { return !t.joins; });
}

bool supports_rank_1(const Plan& plan) {
  return supports_any(plan) && plan.terms.size() == 1 && plan.terms[0].separable();
}

Lesson make_lesson(const Plan& plan, Prefer prefer) {
  Lesson lesson{};
  lesson.border = plan.border;
  lesson.outside = static_cast<float>(plan.outside);
  lesson.finish = plan.finish;
  int first = 0;
  for (const Taps& t : plan.terms) {
    const bool two_passes = t.dense.empty() || (prefer == Prefer::two_passes && t.separable());
    lesson.matrices[lesson.count++] = {t.width, t.height,   t.anchor_x, t.anchor_y,
                                       first,   two_passes, t.row_shift};
    first += two_passes ? t.width + t.height : t.width * t.height;
  }
  return lesson;
}

std::vector<double> lesson_taps(const Plan& plan, Prefer prefer) {
  std::vector<double> taps;
  const auto append = [&](const std::vector<double>& more) {
    taps.insert(taps.end(), more.begin(), more.end());
  };
  for (const Taps& t : plan.terms) {
    if (t.dense.empty() || (prefer == Prefer::two_passes && t.separable())) {
      append(t.row);
      append(t.column);
    } else {
      append(t.dense);
    }
  }
  return taps;
}

}  // namespace study
}  // namespace vidconv
