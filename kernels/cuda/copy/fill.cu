// cuda-fill: one code everywhere, such as neutral chroma beside an edge filter's luma.
#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/tile.cuh"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace {

constexpr int lanes = 32, warps = 8;
constexpr int strip = 4;  // rows that a thread writes, one vector of each
constexpr int tile_height = warps * strip;
template <class T>
constexpr int tile_width = lanes* vector_samples<T>;

template <class T>
struct Work {
  Batch batch;
  T stored;  // the sample as it lies in memory
};

template <class T>
__global__ void __launch_bounds__(lanes* warps) fill_kernel(const __grid_constant__ Work<T> work) {
  constexpr int n = vector_samples<T>;
  const T stored = work.stored;
  const Tile tile = this_tile(work.batch, tile_width<T>, tile_height);
  let_next_kernel_start();
  wait_for_earlier_kernels();
  const Plane<T> dst = tile.pair.dst.as<T>();
  const int x0 = tile.x + static_cast<int>(threadIdx.x) * n;
  const bool whole = x0 + n <= dst.width && is_aligned(dst, 16);
  const unsigned word = stored * (sizeof(T) == 1 ? 0x01010101u : 0x00010001u);
#pragma unroll
  for (int i = 0; i < strip; ++i) {
    const int y = tile.y + static_cast<int>(threadIdx.y) + i * warps;
    if (y >= dst.height) return;
    if (whole)
      *reinterpret_cast<uint4*>(dst.row(y) + x0) = make_uint4(word, word, word, word);
    else
      for (std::ptrdiff_t x = x0; x < min(x0 + n, dst.width); ++x)
        dst.row(y)[x * dst.step] = stored;
  }
}

template <class T>
class Fill final : public Convolver {
 public:
  explicit Fill(const Plan& plan) {
    const std::int32_t no_response = 0;
    stored_ = static_cast<T>(finish<T>(plan.finish, &no_response, 1) << plan.sample.shift);
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    for_each_batch(pairs, tile_width<T>, tile_height, [&](const Batch& batch, int blocks) {
      launch("cuda-fill", fill_kernel<T>, blocks, dim3(lanes, warps), 0, stream,
             Work<T>{batch, stored_});
    });
  }

 private:
  T stored_;
};

}  // namespace

bool supports_fill(const Plan& plan) {
  return plan.arith == Arith::int32 && plan.terms.size() == 1 && plan.terms[0].width == 1 &&
         plan.terms[0].height == 1 && plan.terms[0].dense[0] == 0;
}

std::unique_ptr<Convolver> make_fill(const Plan& plan, int) {
  if (plan.sample.storage == Storage::u8) return std::make_unique<Fill<std::uint8_t>>(plan);
  return std::make_unique<Fill<std::uint16_t>>(plan);  // a float plan is not int32
}

}  // namespace vidconv::cuda
