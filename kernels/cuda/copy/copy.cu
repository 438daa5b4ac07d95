// cuda-copy: the identity.
#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/tile.cuh"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace copy_kernels {
namespace {

constexpr int lanes = 32, warps = 8;
constexpr int strip = 4;  // rows that a thread copies, one vector of each
constexpr int tile_height = warps * strip;
template <class T>
constexpr int tile_width = lanes* vector_samples<T>;

struct Work {
  Batch batch;
};

// This is a kernel, because cudaMemcpy2DAsync takes neither steps nor negative strides, needs one
// call a plane, and may use the copy engine that transfers of other frames wait for.
template <class T>
__global__ void __launch_bounds__(lanes* warps) copy_kernel(const __grid_constant__ Work work) {
  constexpr int n = vector_samples<T>;
  const Tile tile = this_tile(work.batch, tile_width<T>, tile_height);
  let_next_kernel_start();
  wait_for_earlier_kernels();
  const Plane<const T> src = tile.pair.src.as<const T>();
  const Plane<T> dst = tile.pair.dst.as<T>();
  const int x0 = tile.x + static_cast<int>(threadIdx.x) * n;
  const int y0 = tile.y + static_cast<int>(threadIdx.y);
  const bool aligned = is_aligned(src, 16) && is_aligned(dst, 16);
  const bool whole = aligned && x0 + n <= dst.width;
  // Where there are no vectors, adjacent lanes take adjacent samples.
  const int first = aligned ? x0 : tile.x + static_cast<int>(threadIdx.x),
            step = aligned ? 1 : lanes;

  uint4 vectors[strip];
#pragma unroll
  for (int i = 0; i < strip; ++i)
    if (whole && y0 + i * warps < dst.height)
      vectors[i] = __ldg(reinterpret_cast<const uint4*>(src.row(y0 + i * warps) + x0));
#pragma unroll
  for (int i = 0; i < strip; ++i) {
    const int y = y0 + i * warps;
    if (y >= dst.height) return;
    if (whole) {
      *reinterpret_cast<uint4*>(dst.row(y) + x0) = vectors[i];
      continue;
    }
    T stored[n];
#pragma unroll
    for (int k = 0; k < n; ++k) {
      const int x = first + k * step;
      if (x < dst.width) stored[k] = __ldg(src.row(y) + std::ptrdiff_t{x} * src.step);
    }
#pragma unroll
    for (int k = 0; k < n; ++k) {
      const int x = first + k * step;
      if (x < dst.width) dst.row(y)[std::ptrdiff_t{x} * dst.step] = stored[k];
    }
  }
}

template <class T>
class Copy final : public Convolver {
 public:
  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    for_each_batch(pairs, tile_width<T>, tile_height, [&](const Batch& batch, int blocks) {
      launch("cuda-copy", copy_kernel<T>, blocks, dim3(lanes, warps), 0, stream, Work{batch});
    });
  }
};

}  // namespace
}  // namespace copy_kernels

bool supports_copy(const Plan& plan) { return plan.is_copy(); }

std::unique_ptr<Convolver> make_copy(const Plan& plan, int) {
  if (plan.sample.storage == Storage::u8)
    return std::make_unique<copy_kernels::Copy<std::uint8_t>>();
  if (plan.sample.storage == Storage::u16)
    return std::make_unique<copy_kernels::Copy<std::uint16_t>>();
  return std::make_unique<copy_kernels::Copy<std::uint32_t>>();  // the bits of a float
}

}  // namespace vidconv::cuda
