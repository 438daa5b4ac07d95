#include "kernels/filter/filter.h"

#include <algorithm>
#include <cmath>

namespace vidconv {

Purpose purpose_of(const Kernel& kernel) {
  const double gain = kernel.sum();
  const double tolerance = 1e-6 * std::max(1.0, kernel.abs_sum());
  if (std::abs(gain) <= tolerance) return Purpose::edge;
  const bool negative = std::ranges::any_of(kernel.taps(), [](double tap) { return tap < 0; });
  // A gain that is off by less than half a code at 8 bits is meant to be 1 ("0.111" nine times).
  return !negative && std::abs(gain - 1) < 0.5 / 255 ? Purpose::blur : Purpose::sharpen;
}

}  // namespace vidconv
