// Strips, tiles and windows that begin and end in any column and any row: one plan on many sizes,
// with every variant beside the definition.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>

#include "kernels/filter/filter.h"
#include "tests/kernels/support/picture.h"

namespace vidconv::test {

// One size in so many is tried, other ones each time: there is no time for all.
struct Thinning {
  std::size_t cuda, cpu;
};

struct Places {
  std::span<const int> widths, heights;
  std::array<Arrangement, 3> arrangements;
  Thinning whole, thin;  // thin: under sanitizers and without optimisation
};

// `filter` is called for a filter with absolute results and for one without; `first` is where the
// sizes begin. Fails the test where one byte differs.
void expect_the_same_at(const Places& places, const SampleType& sample,
                        const std::function<Filter(bool absolute)>& filter, std::size_t first);

}  // namespace vidconv::test
