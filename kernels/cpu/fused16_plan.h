// Two passes of three taps over integers, as both are made at once.
#pragma once

#include <optional>

#include "kernels/cpu/int16_plan.h"
#include "kernels/plan/plan.h"

namespace vidconv {

struct Fused16Plan {
  static constexpr int rows = 8;   // output rows computed together
  static constexpr int steps = 2;  // of either pass: pairs of taps

  Int16Plan int16;  // its only term has both passes; nothing is taken from codes
  const Int16Plan::Term& term() const { return int16.terms[0]; }

  static constexpr int passes() { return 0; }
  static constexpr bool any_dense() { return true; }
};

// None for plans of other kinds.
std::optional<Fused16Plan> make_fused16_plan(const Plan& plan);

}  // namespace vidconv
