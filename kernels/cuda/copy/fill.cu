// cuda-fill: one code everywhere, such as neutral chroma beside an edge filter's luma.
#include <bit>

#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/tile.cuh"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace fill_kernels {
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
  const unsigned word = stored * (sizeof(T) == 1 ? 0x01010101u : sizeof(T) == 2 ? 0x00010001u : 1u);
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

// The sample that fills planes, as it lies in memory.
std::uint32_t stored_of(const Plan& plan) {
  if (plan.sample.storage == Storage::f32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(*plan.fill));
  const std::int32_t no_response = 0;
  const auto code = plan.fill ? static_cast<std::uint32_t>(*plan.fill)
                              : finish<std::uint16_t>(plan.finish, &no_response, 1);
  return code << plan.sample.shift;
}

template <class T>
class Fill final : public Convolver {
 public:
  explicit Fill(const Plan& plan) : stored_(static_cast<T>(stored_of(plan))) {}

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
}  // namespace fill_kernels

bool supports_fill(const Plan& plan) {
  if (plan.operation() != Operation::sums) return plan.operation() == Operation::fill;
  return plan.arith == Arith::int32 && plan.terms.size() == 1 && plan.terms[0].width == 1 &&
         plan.terms[0].height == 1 && plan.terms[0].dense[0] == 0;
}

std::unique_ptr<Convolver> make_fill(const Plan& plan, int) {
  if (plan.sample.storage == Storage::u8)
    return std::make_unique<fill_kernels::Fill<std::uint8_t>>(plan);
  if (plan.sample.storage == Storage::u16)
    return std::make_unique<fill_kernels::Fill<std::uint16_t>>(plan);
  return std::make_unique<fill_kernels::Fill<std::uint32_t>>(plan);  // the bits of a float
}

}  // namespace vidconv::cuda
