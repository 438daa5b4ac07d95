#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/tile.cuh"
#include "kernels/cuda/copy/halves.h"
#include "kernels/picture/half.h"

namespace vidconv::cuda {
namespace halves_kernels {
namespace {

constexpr int lanes = 128;
constexpr int adjacent = 4;       // samples that a thread loads at once, where rows are aligned
constexpr int groups = 4;         // a thread's, a block's width apart
constexpr int most_rows = 65535;  // blocks along a grid's second axis

template <class T>
struct alignas(adjacent * sizeof(T)) Group {
  T samples[adjacent];
};

__device__ inline void convert(std::uint16_t half, float& to) { to = float_of_half(half); }
__device__ inline void convert(float value, std::uint16_t& to) { to = half_of_float(value); }

template <class From, class To>
__global__ void __launch_bounds__(lanes)
    convert_kernel(Plane<const From> from, Plane<To> to, bool aligned) {
  const int first = static_cast<int>(blockIdx.x * (lanes * groups) + threadIdx.x) * adjacent;
  for (int y = static_cast<int>(blockIdx.y); y < to.height; y += static_cast<int>(gridDim.y)) {
    const From* const source = from.row(y);
    To* const target = to.row(y);
    Group<From> loaded[groups];
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      const int x = first + g * lanes * adjacent;
      if (aligned && x + adjacent <= to.width)
        loaded[g] = *reinterpret_cast<const Group<From>*>(source + x);
      else
#pragma unroll
        for (int i = 0; i < adjacent; ++i)
          if (x + i < to.width) loaded[g].samples[i] = source[x + i];
    }
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      const int x = first + g * lanes * adjacent;
      Group<To> made;
#pragma unroll
      for (int i = 0; i < adjacent; ++i) convert(loaded[g].samples[i], made.samples[i]);
      if (aligned && x + adjacent <= to.width)
        *reinterpret_cast<Group<To>*>(target + x) = made;
      else
#pragma unroll
        for (int i = 0; i < adjacent; ++i)
          if (x + i < to.width) target[x + i] = made.samples[i];
    }
  }
}

// Returns the plane as one row, where its rows lie without gaps.
template <class P>
P in_one_row(P plane) {
  plane.width *= plane.height;
  plane.height = 1;
  return plane;
}

template <class From, class To>
void launch(const ConstBytePlane& from, const BytePlane& to, CudaStream stream) {
  if (to.width < 1 || to.height < 1) return;
  const auto gapless = [](const auto& plane, std::size_t sample) {
    return plane.stride == static_cast<std::ptrdiff_t>(sample) * plane.width;
  };
  const bool one_row = gapless(from, sizeof(From)) && gapless(to, sizeof(To)) &&
                       std::int64_t{to.width} * to.height < INT32_MAX / 2;
  const ConstBytePlane source = one_row ? in_one_row(from) : from;
  const BytePlane target = one_row ? in_one_row(to) : to;
  constexpr int in_block = lanes * groups * adjacent;
  const dim3 blocks(static_cast<unsigned>((target.width - 1) / in_block + 1),
                    static_cast<unsigned>(std::min(target.height, most_rows)));
  const bool aligned =
      is_aligned(source, sizeof(Group<From>)) && is_aligned(target, sizeof(Group<To>));
  convert_kernel<From, To>
      <<<blocks, lanes, 0, stream>>>(source.as<const From>(), target.as<To>(), aligned);
  check_launch("half floats");
}

}  // namespace
}  // namespace halves_kernels

void floats_of_halves(const ConstBytePlane& halves, const BytePlane& floats, CudaStream stream) {
  halves_kernels::launch<std::uint16_t, float>(halves, floats, stream);
}
void halves_of_floats(const ConstBytePlane& floats, const BytePlane& halves, CudaStream stream) {
  halves_kernels::launch<float, std::uint16_t>(floats, halves, stream);
}

}  // namespace vidconv::cuda
