// cuda-mosaic: the mean of each block, by one warp each.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/variants.h"
#include "kernels/picture/blocks.h"

namespace vidconv::cuda {
namespace mosaic_kernels {
namespace {

constexpr int lanes = 32, warps = 8;
constexpr unsigned all_lanes = 0xffffffffu;

struct Work {
  PlanePair pair;
  Blocks blocks;
  int columns, rows;  // number of blocks
  int shift, min, max;
};

// Each lane adds up columns; the sums are of integers, so their order does not matter.
template <class T>
__device__ int mean_of_codes(const Work& work, const Plane<const T>& src, int left, int top,
                             int right, int bottom) {
  unsigned long long sum = 0;
  for (int y = top; y < bottom; ++y)
    for (int x = left + static_cast<int>(threadIdx.x); x < right; x += lanes)
      sum += static_cast<unsigned>(src.row(y)[std::ptrdiff_t{x} * src.step]) >> work.shift;
  for (int apart = lanes / 2; apart > 0; apart /= 2) sum += __shfl_xor_sync(all_lanes, sum, apart);
  const auto count =
      static_cast<std::uint64_t>(right - left) * static_cast<std::uint64_t>(bottom - top);
  return min(max(mean_code(sum, count), work.min), work.max);
}

// Each lane adds up rows from left to right, and all of them add up those sums from top to bottom.
__device__ inline float mean_of_floats(const Plane<const float>& src, int left, int top, int right,
                                       int bottom) {
  double sum = 0;
  for (int first = top; first < bottom; first += lanes) {
    const int y = first + static_cast<int>(threadIdx.x);
    double of_row = 0;
    if (y < bottom)
      for (int x = left; x < right; ++x)
        of_row = of_row + static_cast<double>(src.row(y)[std::ptrdiff_t{x} * src.step]);
    for (int lane = 0; lane < min(lanes, bottom - first); ++lane)
      sum = sum + __shfl_sync(all_lanes, of_row, lane);
  }
  return mean_float(sum, (right - left) * (bottom - top));
}

template <class T>
__global__ void __launch_bounds__(lanes* warps) mosaic_kernel(const __grid_constant__ Work work) {
  let_next_kernel_start();
  wait_for_earlier_kernels();
  const Plane<const T> src = work.pair.src.as<const T>();
  const Plane<T> dst = work.pair.dst.as<T>();
  const std::int64_t count = std::int64_t{work.columns} * work.rows;
  const std::int64_t apart = std::int64_t{gridDim.x} * warps;
  // All lanes of a warp have the same block.
  for (std::int64_t block = std::int64_t{blockIdx.x} * warps + threadIdx.y; block < count;
       block += apart) {
    const int row = static_cast<int>(block / work.columns);
    const int column = static_cast<int>(block % work.columns);
    const int left = work.blocks.across.begin(column, src.width);
    const int right = work.blocks.across.end(column, src.width);
    const int top = work.blocks.down.begin(row, src.height);
    const int bottom = work.blocks.down.end(row, src.height);
    if (left == right || top == bottom) continue;
    T value;
    if constexpr (std::is_same_v<T, float>)
      value = mean_of_floats(src, left, top, right, bottom);
    else
      value = static_cast<T>(mean_of_codes(work, src, left, top, right, bottom) << work.shift);
    for (int y = top; y < bottom; ++y)
      for (int x = left + static_cast<int>(threadIdx.x); x < right; x += lanes)
        dst.row(y)[std::ptrdiff_t{x} * dst.step] = value;
  }
}

template <class T>
class Mosaic final : public Convolver {
 public:
  explicit Mosaic(const Plan& plan)
      : work_{.pair = {},
              .blocks = plan.blocks,
              .columns = 0,
              .rows = 0,
              .shift = plan.sample.shift,
              .min = plan.finish.min,
              .max = plan.finish.max} {}

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    constexpr std::int64_t most = 1 << 20;  // thread blocks; they go on with what is left
    for (const PlanePair& pair : pairs) {
      if (pair.dst.width < 1 || pair.dst.height < 1) continue;
      Work work = work_;
      work.pair = pair;
      work.columns = work.blocks.across.blocks(pair.dst.width);
      work.rows = work.blocks.down.blocks(pair.dst.height);
      const std::int64_t blocks = (std::int64_t{work.columns} * work.rows + warps - 1) / warps;
      launch("cuda-mosaic", mosaic_kernel<T>, static_cast<int>(std::min(blocks, most)),
             dim3(lanes, warps), 0, stream, work);
    }
  }

 private:
  const Work work_;
};

}  // namespace
}  // namespace mosaic_kernels

std::unique_ptr<Convolver> make_mosaic(const Plan& plan, int) {
  if (plan.sample.storage == Storage::u8)
    return std::make_unique<mosaic_kernels::Mosaic<std::uint8_t>>(plan);
  if (plan.sample.storage == Storage::u16)
    return std::make_unique<mosaic_kernels::Mosaic<std::uint16_t>>(plan);
  return std::make_unique<mosaic_kernels::Mosaic<float>>(plan);
}

}  // namespace vidconv::cuda
