// The filters that the tests sweep over.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "kernels/plan/plan.h"
#include "tests/sample_types.h"

namespace vidconv::test {

struct NamedFilter {
  std::string name;  // letters, digits and underscores
  Filter filter;
};

// Every preset with its defaults and with chosen arguments, and kernels that no preset has: even
// sizes, anchors at the edge, rank 1 and not, taps that are exact, quantised and neither.
const std::vector<NamedFilter>& all_filters();
// Names of the filters that are made of kernels alone.
std::vector<std::string> names_of_convolutions();
const Filter& filter_named(const std::string& name);

inline constexpr auto all_borders = [] {
  std::array<BorderMode, std::size(border_modes)> modes{};
  std::ranges::transform(border_modes, modes.begin(), &BorderName::mode);
  return modes;
}();

// `plan`, and where it can be computed in one pass or in two: the plan without the one, and without
// the other, so that both ways are tested whatever a variant prefers.
std::vector<Plan> ways(const Plan& plan);

}  // namespace vidconv::test
