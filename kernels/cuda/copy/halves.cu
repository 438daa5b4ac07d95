#include <algorithm>

#include "kernels/cuda/common/check.h"
#include "kernels/cuda/copy/halves.h"
#include "kernels/picture/half.h"

namespace vidconv::cuda {
namespace {

constexpr int lanes = 128;
constexpr int samples = 4;        // samples of a thread, a block's width apart
constexpr int most_rows = 65535;  // blocks along a grid's second axis

__device__ inline void convert(std::uint16_t half, float& to) { to = float_of_half(half); }
__device__ inline void convert(float value, std::uint16_t& to) { to = half_of_float(value); }

template <class From, class To>
__global__ void __launch_bounds__(lanes) convert_kernel(Plane<const From> from, Plane<To> to) {
  for (int y = static_cast<int>(blockIdx.y); y < to.height; y += static_cast<int>(gridDim.y)) {
    int x = static_cast<int>(blockIdx.x) * lanes * samples + static_cast<int>(threadIdx.x);
#pragma unroll
    for (int i = 0; i < samples; ++i, x += lanes)
      if (x < to.width) convert(__ldg(from.row(y) + x), to.row(y)[x]);
  }
}

template <class From, class To>
void launch(const ConstBytePlane& from, const BytePlane& to, CudaStream stream) {
  if (to.width < 1 || to.height < 1) return;
  const dim3 blocks(static_cast<unsigned>((to.width - 1) / (lanes * samples) + 1),
                    static_cast<unsigned>(std::min(to.height, most_rows)));
  convert_kernel<From, To><<<blocks, lanes, 0, stream>>>(from.as<const From>(), to.as<To>());
  check_launch("half floats");
}

}  // namespace

void floats_of_halves(const ConstBytePlane& halves, const BytePlane& floats, CudaStream stream) {
  launch<std::uint16_t, float>(halves, floats, stream);
}
void halves_of_floats(const ConstBytePlane& floats, const BytePlane& halves, CudaStream stream) {
  launch<float, std::uint16_t>(floats, halves, stream);
}

}  // namespace vidconv::cuda
