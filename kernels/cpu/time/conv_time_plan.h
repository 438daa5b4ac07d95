// A plan over time, with its taps in the types of vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cpu/simd/sums16.h"
#include "kernels/plan/plan.h"

namespace vidconv {

struct ConvTimePlan {
  Plan plan;
  std::optional<Sums16> sums16;  // where all sums fit 16 bits
  std::vector<std::int32_t> int32_taps;
  std::vector<float> float_taps;
  std::vector<double> double_taps;
  bool equal = false;  // all taps are

  explicit ConvTimePlan(const Plan& from) : plan(from) {
    const std::vector<double>& taps = plan.terms[0].dense;
    sums16 = find_sums16(plan);  // samples that count as others are codes too
    for (const double tap : taps) {
      if (plan.arith == Arith::int32) int32_taps.push_back(static_cast<std::int32_t>(tap));
      float_taps.push_back(static_cast<float>(tap));
      double_taps.push_back(tap);
    }
    equal = std::ranges::all_of(taps, [&](double tap) { return tap == taps[0]; });
  }
};

// Rows of samples that lie side by side: one in the frame of each tap, one in the filtered frame,
// and the result's.
struct ConvTimeRow {
  const std::byte* const* taps;
  const std::byte* here;
  std::byte* out;
  int width;    // samples
  bool stream;  // results go past the caches
};

// Sums of samples that are carried from frame to frame.
struct RunningRow {
  void* sums;               // room for running_sums(width): of 16 bits with sums16, else of 32
  const std::byte* leaves;  // the row that is no longer in the window; nullptr: all are added
};
constexpr std::size_t running_sums(int width) {
  constexpr std::size_t block = 128;
  return (static_cast<std::size_t>(width) + block - 1) / block * block;
}

}  // namespace vidconv
