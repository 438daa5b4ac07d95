// The pairs that convolvers of weighted plans get: planes of a picture or of a part of one, and
// after them their weights, a pair without a result.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/picture/plane.h"

namespace vidconv {

constexpr bool is_weights(const PlanePair& pair) { return pair.dst.data == nullptr; }

// Returns the pair that stands for the weights of the pairs before it.
inline PlanePair as_weights(const ConstBytePlane& weights) {
  PlanePair pair;
  pair.src = weights;
  return pair;
}

// Calls body(pairs, weights) for the pairs of each picture that has some.
template <class Body>
void for_weighted_groups(std::span<const PlanePair> pairs, const Body& body) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!is_weights(pairs[i])) continue;
    if (i > first) body(pairs.subspan(first, i - first), pairs[i].src);
    first = i + 1;
  }
}

}  // namespace vidconv
