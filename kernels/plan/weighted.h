// Weighted means, sample by sample: the arithmetic of colours that count by their alpha. The same
// functions make the definition, the CPU's loops and the CUDA kernel.
//
// Compiled without contraction, so that each operation is one IEEE operation of doubles and all
// sides give the same bits. docs/numerics.md, "Weighted by alpha", says what comes out.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/plan/plan.h"

namespace vidconv {

// A plan in numbers; a plain value, passed to devices as it is.
struct WeightedMath {
  BorderMode border;
  int shift;                            // stored codes are so many bits up
  int across, down;                     // a sample has so many weights
  double outside_weight, outside_term;  // a sample's outside, and times that sample
  bool exact;                           // the sums are whole numbers
  int min, max;                         // a result's codes
};

inline WeightedMath weighted_math(const Plan& plan) {
  const WeightPlan& w = plan.weighted.value();
  const double outside = w.outside * w.weights.x * w.weights.y;
  return {.border = plan.border,
          .shift = plan.sample.shift,
          .across = w.weights.x,
          .down = w.weights.y,
          .outside_weight = outside,
          .outside_term = outside * plan.outside,
          .exact = plan.exact,
          .min = plan.finish.min,
          .max = plan.finish.max};
}

template <class T>
VIDCONV_HD inline double weighted_value(T stored, int shift) {
  if constexpr (std::is_same_v<T, float>)
    return static_cast<double>(stored);
  else
    return static_cast<double>(stored >> shift);
}

// Returns the weight of sample (x, y): where a block of weights ends beyond the plane, its last
// ones count again. Floats count above 0 only.
template <class T>
VIDCONV_HD inline double weight_at(const WeightedMath& m, const Plane<const T>& weights, int x,
                                   int y) {
  double sum = 0;
  for (int j = y * m.down; j < (y + 1) * m.down; ++j) {
    const T* const row = weights.row(j < weights.height ? j : weights.height - 1);
    for (int i = x * m.across; i < (x + 1) * m.across; ++i) {
      const int at = i < weights.width ? i : weights.width - 1;
      const double weight = weighted_value(row[std::ptrdiff_t{at} * weights.step], m.shift);
      if (weight > 0) sum = sum + weight;
    }
  }
  return sum;
}

// Returns a sample times its weight; a sample without one counts for nothing, whatever it is.
VIDCONV_HD inline double weighted_term(double weight, double value) {
  return weight > 0 ? weight * value : 0;
}

// Returns what is stored, from the sum of terms and that of weights. `here`: the sample itself,
// which stays where nothing has a weight.
template <class T>
VIDCONV_HD inline T weighted_mean(const WeightedMath& m, double terms, double weights, T here) {
  if (!(weights > 0)) return here;
  double mean = terms / weights;
  if constexpr (std::is_same_v<T, float>) {
    if (mean == mean) return static_cast<float>(mean);
    constexpr std::uint32_t quiet_nan = 0x7FC00000;
#ifdef __CUDA_ARCH__
    return __uint_as_float(quiet_nan);
#else
    return std::bit_cast<float>(quiet_nan);
#endif
  } else {
    using std::floor;
    mean = floor(mean + 0.5);
    if (m.exact) {
      // A quotient of whole numbers may have been rounded to a tie or beyond one.
      const auto twice = static_cast<std::int64_t>(weights) * 2;
      const std::int64_t over = static_cast<std::int64_t>(terms) * 2 +
                                static_cast<std::int64_t>(weights) -
                                static_cast<std::int64_t>(mean) * twice;
      if (over < 0) mean = mean - 1;
      if (over >= twice) mean = mean + 1;
    }
    const double min = m.min, max = m.max;
    const double code = mean < min ? min : mean > max ? max : mean;
    return static_cast<T>(static_cast<unsigned>(code) << m.shift);
  }
}

}  // namespace vidconv
