#include "kernels/cuda/common/check.h"
#include "kernels/cuda/copy/repack.h"

namespace vidconv::cuda {
namespace repack_kernels {
namespace {

constexpr int lanes = 128;
constexpr int samples = 4;  // samples of a thread, a block's width apart

// Uses plain accesses, because it runs beside a codec that is a hundred times slower.
template <class T>
__global__ void __launch_bounds__(lanes)
    repack_kernel(Plane<const T> from, Plane<T> to, int up, int down) {
  const int y = static_cast<int>(blockIdx.y);
  int x = static_cast<int>(blockIdx.x) * lanes * samples + static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < samples; ++i, x += lanes)
    if (x < to.width) {
      const unsigned sample = __ldg(from.row(y) + static_cast<std::ptrdiff_t>(x) * from.step);
      to.row(y)[static_cast<std::ptrdiff_t>(x) * to.step] = static_cast<T>(sample << up >> down);
    }
}

template <class T>
void launch(const ConstBytePlane& from, int shift, const BytePlane& to, CudaStream stream) {
  const dim3 blocks(static_cast<unsigned>((to.width + lanes * samples - 1) / (lanes * samples)),
                    static_cast<unsigned>(to.height));
  repack_kernel<T><<<blocks, lanes, 0, stream>>>(from.as<const T>(), to.as<T>(),
                                                 shift > 0 ? shift : 0, shift < 0 ? -shift : 0);
  check_launch("repack");
}

}  // namespace
}  // namespace repack_kernels

void repack(const ConstBytePlane& from, int shift, const BytePlane& to, Storage storage,
            CudaStream stream) {
  if (storage == Storage::u8)
    repack_kernels::launch<std::uint8_t>(from, shift, to, stream);
  else
    repack_kernels::launch<std::uint16_t>(from, shift, to, stream);
}

}  // namespace vidconv::cuda
