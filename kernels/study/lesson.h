// Code that the study variants share, on the CPU and on CUDA: the definition of one output sample
// (docs/numerics.md), whatever memory its taps and samples come from. Each variant is then a pair
// of functions: tap(i) and read(x, y).
//
// The variants compute what the published systems did, 8-bit samples (sums in int32) and float
// samples (fused multiply-adds in the definition's order), and refuse other plans.
#pragma once

#include <cmath>
#include <type_traits>
#include <vector>

#include "kernels/convolver/window.h"
#include "kernels/picture/border.h"
#include "kernels/plan/plan.h"

namespace vidconv::study {

// The arithmetic for samples of type T.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, float>, float, std::int32_t>;

// One kernel of the filter. The taps of all kernels lie in one array, this one's from `first` on:
// width * height of them row by row or, for two passes, `width` taps of the row and `height` of the
// column.
struct Matrix {
  int width, height, anchor_x, anchor_y;
  int first;
  bool two_passes;
  int row_shift;
  bool joins;  // its response is added to that of the matrix before it
};

// A plan without its taps: a plain value, passed to devices as it is.
struct Lesson {
  static constexpr int capacity = 8;
  Matrix matrices[capacity];
  int count;
  int taps;     // number of all matrices' taps
  Reach reach;  // the reach of all matrices together
  BorderMode border;
  float outside;  // the value that BorderMode::constant supplies
  Finish finish;
};

// Returns whether a study variant can compute a plan, unless the variant says otherwise.
bool supports_any(const Plan& plan);
inline constexpr std::string_view needs_any = "8-bit or float samples, at most 8 matrices";
// Returns whether a plan that supports_any() accepts has one kernel of rank 1.
bool supports_rank_1(const Plan& plan);
inline constexpr std::string_view needs_rank_1 = "8-bit or float samples, one kernel of rank 1";

// The way to compute a plan that can be computed in either way.
enum class Prefer : std::uint8_t { dense, two_passes };
Lesson make_lesson(const Plan& plan, Prefer prefer);
// Returns the taps that the lesson's matrices refer to.
std::vector<double> lesson_taps(const Plan& plan, Prefer prefer);

VIDCONV_HD inline float multiply_add(float tap, float x, float sum) {
#ifdef __CUDA_ARCH__
  return __fmaf_rn(tap, x, sum);
#else
  return std::fma(tap, x, sum);
#endif
}
VIDCONV_HD inline std::int32_t multiply_add(std::int32_t tap, std::int32_t x, std::int32_t sum) {
  return tap * x + sum;
}
VIDCONV_HD inline double multiply_add(double tap, double x, double sum) {
#ifdef __CUDA_ARCH__
  return __fma_rn(tap, x, sum);
#else
  return std::fma(tap, x, sum);
#endif
}

// Host code calls these with functions of the host, device code with functions of the device.
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
// Returns tap(0) * read(0) + tap(1) * read(1) + ..., n products.
template <class Acc, class Tap, class Read>
VIDCONV_HD inline Acc dot(int n, Tap tap, Read read) {
  Acc sum = 0;
  for (int i = 0; i < n; ++i) sum = multiply_add(tap(i), static_cast<Acc>(read(i)), sum);
  return sum;
}

// Returns a sum of the row pass as the column pass takes it.
template <class Acc>
VIDCONV_HD inline Acc between_passes(Acc sum, int row_shift) {
  if constexpr (std::is_same_v<Acc, std::int32_t>)
    return (sum + (1 << row_shift >> 1)) >> row_shift;
  if constexpr (std::is_same_v<Acc, double>)  // rounds in the same way
    return row_shift == 0 ? sum : std::floor(std::ldexp(sum + (1 << row_shift >> 1), -row_shift));
  return sum;
}

#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
// Returns the response of one matrix at (x, y). tap(i) is number i of all taps; read(u, v) is the
// sample at (u, v), inside the picture or not.
template <class Acc, class Tap, class Read>
VIDCONV_HD inline Acc response(const Matrix& m, int x, int y, Tap tap, Read read) {
  Acc sum = 0;
  for (int j = 0; j < m.height; ++j) {
    const int row = m.two_passes ? m.first : m.first + j * m.width;
    const Acc over_row = dot<Acc>(
        m.width, [&](int i) { return tap(row + i); },
        [&](int i) { return read(x - m.anchor_x + i, y - m.anchor_y + j); });
    if (m.two_passes)
      sum = multiply_add(tap(m.first + m.width + j), between_passes(over_row, m.row_shift), sum);
    else
      sum = sum + over_row;
  }
  return sum;
}

#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
// Returns the output sample at (x, y). Sums are computed in Acc; Response is the type that the
// plan's arithmetic makes of them.
template <class T, class Acc, class Response = Acc, class Tap, class Read>
VIDCONV_HD inline T output(const Lesson& lesson, int x, int y, Tap tap, Read read) {
  const auto at = [&](int k) {
    return static_cast<Response>(response<Acc>(lesson.matrices[k], x, y, tap, read));
  };
  int k = 0;
  const auto next_kernel = [&] {
    Response sum = at(k);
    while (++k < lesson.count && lesson.matrices[k].joins) sum = sum + at(k);
    return sum;
  };
  Combined<Response> combined;
  combined.first(lesson.finish, next_kernel());
  while (k < lesson.count) combined.add(lesson.finish, next_kernel());
  return combined.template finish<T>(lesson.finish);
}

// Returns the sample at (x, y); outside the picture, the one that the border mode supplies.
template <class T>
VIDCONV_HD inline T sample_at(const Plane<const T>& src, const Lesson& lesson, int x, int y) {
  const int u = border_index(lesson.border, x, src.width);
  const int v = border_index(lesson.border, y, src.height);
  if (u < 0 || v < 0) return static_cast<T>(lesson.outside);
  return src.row(v)[static_cast<std::ptrdiff_t>(u) * src.step];
}

}  // namespace vidconv::study
