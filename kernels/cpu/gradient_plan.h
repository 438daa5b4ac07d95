// The length of a gradient, of integer kernels whose squares float holds exactly.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "kernels/cpu/sum16_plan.h"
#include "kernels/plan/plan.h"

namespace vidconv {

// code = min(floor(sqrt(x * x + y * y) + 1/2), most), where x and y fit 16 bits. Up to `most` =
// 1023 this is the definition: a root of an integer is never nearer to n + 1/2 than floats tell
// apart.
struct GradientPlan {
  static constexpr int rows = 1;  // output rows computed together

  // One of the kernels: `taps` on the source, or on the lines that the row pass made.
  struct Kernel {
    Sum16Plan::Groups row;  // empty where there is one pass
    Sum16Plan::Groups taps;
  };
  std::array<Kernel, 2> kernels;
  int most = 255;  // the largest code
  int shift = 0;   // of stored codes

  int passes() const {
    return static_cast<int>(
        std::ranges::count_if(kernels, [](const Kernel& k) { return !k.row.empty(); }));
  }
  bool any_dense() const { return passes() < 2; }
};

// None but for Combine::l2 of two kernels of that kind, whose result is neither scaled nor moved.
std::optional<GradientPlan> make_gradient_plan(const Plan& plan);

}  // namespace vidconv
