// Two short passes over 16-bit or float samples, in floats and both at once, with or without one
// more tap at their centre (unsharp masks); or a 3x3 matrix of floats.
#pragma once

#include <array>
#include <optional>

#include "kernels/convolver/convolver.h"
#include "kernels/plan/plan.h"

namespace vidconv {

struct SeparableF32Plan {
  static constexpr int rows = 8;  // output rows computed together
  static constexpr int most = 7;  // most taps

  int size = 0;  // taps in either direction: 3, 5 or 7
  int left = 0;  // samples from the first tap to the output sample
  int top = 0;   // the window's row under the first tap of the column pass
  bool is_matrix = false;
  std::optional<float> tap;                 // at the centre; its product is added to the sum
  std::array<float, most> row{}, column{};  // the passes' taps, unless it is a matrix
  std::array<float, 9> matrix{};
  Finish finish;
  int shift = 0;  // shift of stored codes

  // Lines that are kept for the next rows, of floats: twice as many lines of 16-bit samples.
  static constexpr int scratch = 2 * (most - 1);
  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// Returns nothing for other plans.
std::optional<SeparableF32Plan> make_fused_plan(const Plan& plan);

// Parts of prepare_cpu_separable_f32(), one for each kind of samples.
Prepared prepare_fused_u16(const Plan& plan);
Prepared prepare_fused_f32(const Plan& plan);

}  // namespace vidconv
