#include "kernels/filter/filter.h"

#include <fmt/format.h>

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

std::string why_not_weighted(const Filter& filter) {
  if (!filter.convolves()) return "has no kernel";
  if (filter.over_time) return "is over time";
  if (filter.kernels.size() != 1) return "has several kernels";
  const Kernel& kernel = filter.kernels[0];
  if (kernel.is_product()) return fmt::format("has more than {0}x{0} taps", Kernel::max_size);
  if (std::ranges::any_of(kernel.taps(), [](double tap) { return tap < 0; }))
    return "has taps below 0";
  if (filter.bias != 0) return "adds a bias";
  if (filter.absolute) return "takes absolute values";
  if (purpose_of(kernel) != Purpose::blur) return "is no mean: its taps do not add up to 1";
  if (filter.purpose != Purpose::blur) return "is no blur";
  return "";
}

}  // namespace vidconv
