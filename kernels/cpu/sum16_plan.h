// An integer plan whose result fits 16 bits, as sums of whole groups of samples.
//
// Everything up to the last step is right modulo 2^16, which is enough because the numerator of the
// last division is known to fit; so no intermediate is ever widened, and the samples that share a
// tap are added before they are multiplied.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cpu/division16.h"
#include "kernels/plan/plan.h"

namespace vidconv {

struct Sum16Plan {
  static constexpr int rows = 1;  // output rows computed together

  // A sample under the kernel: the window's row, and the column counted from the output sample.
  struct Place {
    int row, column;
  };
  // tap * (sum of the samples at `plus` - sum of those at `minus`).
  struct Group {
    std::int16_t tap;
    std::vector<Place> plus, minus;
  };
  using Groups = std::vector<Group>;

  Groups row;     // of the row pass; empty where there is one pass
  Groups taps;    // of the only pass, or of the column pass
  int shift = 0;  // of stored codes

  bool two_passes() const { return !row.empty(); }
  int passes() const { return two_passes() ? 1 : 0; }
  bool any_dense() const { return !two_passes(); }

  // The last step: n = sum + start; its absolute value + half where `absolute`; less `below_zero`
  // (saturating: n was raised by this to be positive), from `lowest` to `limit`, divided.
  std::uint16_t start = 0;
  bool absolute = false;
  std::uint16_t half = 0, below_zero = 0, lowest = 0, limit = 0;
  Division16 division;
};

// The groups of a matrix of integers of 16 bits whose first tap lies at `first`.
Sum16Plan::Groups group_taps(const std::vector<double>& taps, int width, Sum16Plan::Place first);

// Cycles a vector, about.
int cost_of(const Sum16Plan::Groups& groups);

// None where the numerator does not fit, for plans of several kernels, for those that round between
// two passes, and for large kernels of one pass, which go faster otherwise.
std::optional<Sum16Plan> make_sum16_plan(const Plan& plan);

}  // namespace vidconv
