// Filters that hide, and how to show one of them alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/spec/parse.h"

namespace vidconv {

// Whether the filter may be there to hide something: it acts in a place, or leaves no details.
inline bool hides(const FilterSpec& filter) {
  return filter.has_place() || !filter.make().convolves();
}

// A picture that shows one filter of the chain alone goes through these: that one, and those with a
// place, in their order.
inline std::vector<FilterSpec> with_hidden_places(const std::vector<FilterSpec>& chain,
                                                  std::size_t shown) {
  std::vector<FilterSpec> left;
  for (std::size_t i = 0; i < chain.size(); ++i)
    if (i == shown || chain[i].has_place()) left.push_back(chain[i].for_all_frames());
  return left;
}

}  // namespace vidconv
