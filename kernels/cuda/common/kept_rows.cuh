// Copies components of whole pixels that are not filtered (Plan::kept), for threads whose outputs
// are two adjacent columns of 16-bit codes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/picture/plane.h"
#include "kernels/plan/plan.h"

namespace vidconv::cuda {

// Only pixels of this many components may have one that is only copied, alpha.
constexpr int components_with_alpha = 4;

// Returns whether kernels with KeptRows run a plan of whole pixels.
inline bool keeps_in_rows(const Plan& plan) {
  return plan.kept == 0 || (plan.components == components_with_alpha && plan.sample.shift == 0);
}

// Copies for `rows` outputs at a time, from column x and row y down; y may lie above the plane.
template <bool keeps, int rows>
class KeptRows {
 public:
  __device__ KeptRows(const ConstBytePlane& src, int x, int y, unsigned kept)
      : from_(reinterpret_cast<const std::byte*>(src.as<const std::uint16_t>().row(y) + x)),
        stride_(src.stride) {
    const unsigned two = kept >> x % components_with_alpha;
    mask_ = ((two & 1) != 0 ? 0xFFFFu : 0) | ((two & 2) != 0 ? 0xFFFF'0000u : 0);
  }
  // Loads samples for the next outputs, from number `output` of `limit` on, long before they are
  // used.
  __device__ void load(int output, unsigned limit) {
#pragma unroll
    for (int r = 0; r < rows; ++r, from_ += stride_)
      if (mask_ != 0 && static_cast<unsigned>(output + r) < limit)
        came_[r] = __ldg(reinterpret_cast<const unsigned*>(from_));
  }
  // Returns the samples to store as output r: `made`, with kept components replaced.
  __device__ unsigned with(unsigned made, int r) const {
    return (made & ~mask_) | (came_[r] & mask_);
  }

 private:
  const std::byte* from_;
  std::ptrdiff_t stride_;
  unsigned mask_, came_[rows] = {};
};

template <int rows>
class KeptRows<false, rows> {
 public:
  __device__ KeptRows(const ConstBytePlane&, int, int, unsigned) {}
  __device__ void load(int, unsigned) {}
  template <class Pair>
  __device__ Pair with(Pair made, int) const {
    return made;
  }
};

}  // namespace vidconv::cuda
