// What was filtered and what was, mixed.
#pragma once

#include <cstdint>

#include "kernels/convolver/thread_pool.h"
#include "kernels/picture/plane.h"

namespace vidconv {

// Of `weight` 255ths of the filtered sample and the rest of the other one, to the nearest code
// (docs/numerics.md). Codes are not shifted.
template <class Code>
constexpr Code blended(Code was, Code filtered, unsigned weight) {
  return static_cast<Code>((was * (255 - weight) + filtered * weight + 127) / 255);
}
constexpr float blended(float was, float filtered, unsigned weight) {
  if (weight == 0) return was;
  if (weight == 255) return filtered;
  return was + (filtered - was) * (static_cast<float>(weight) / 255.0F);
}

// Mixes so into `picture` what `filtered` has in the same places; the three planes have equal size.
// Samples of weight 0 are not written.
void blend(ThreadPool& pool, const ConstBytePlane& filtered, const BytePlane& picture,
           const Plane<const std::uint8_t>& weights, const SampleType& sample);

}  // namespace vidconv
