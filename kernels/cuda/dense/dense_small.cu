// cuda-dense-small: one or two matrices that fit into 9x9 around the output sample, unrolled, with
// taps as immediate operands from the launch's parameters.
#include <algorithm>

#include "kernels/cuda/common/arith.cuh"
#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/output.cuh"
#include "kernels/cuda/common/tuning.h"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace dense_small_kernels {
namespace {

constexpr int lanes = 32,
              warps = sm90::dense_small.warps;  // warps a block; a lane computes a group of columns
constexpr int strip = sm90::dense_small.strip;  // rows that a thread computes
constexpr int tile_height = warps * strip;
template <class T>
constexpr int tile_width = group<T>* lanes;

constexpr int smallest = 3, largest = 9;
constexpr int max_terms = 2;

// Kernels are laid into a size x size matrix whose centre is the output sample; the rest is zeros,
// which add nothing to sums of integers.
template <class Value, int size, int terms>
struct Work {
  Batch batch;
  Sampling sampling;
  Finish finish;
  Value taps[terms][size * size];
};

template <class T, class Arith, int size, int terms>
__global__ void __launch_bounds__(lanes* warps)
    dense_small_kernel(const __grid_constant__ Work<typename Arith::Value, size, terms> work) {
  using Value = typename Arith::Value;
  constexpr int n = group<T>;
  constexpr int half = size / 2;
  constexpr int margin = vector_samples<T>;  // loaded on either side of the tile
  static_assert(half <= n && n <= margin);
  constexpr int pitch = tile_width<T> + 2 * margin;
  constexpr int rows = tile_height + size - 1;
  __shared__ __align__(16) T samples[rows * pitch];

  const Tile tile = this_tile(work.batch, tile_width<T>, tile_height);
  const Piece piece{tile.x - margin, tile.y - half, pitch, rows, half, half};
  load_tile(samples, piece, tile.pair.src.as<const T>(), work.sampling);
  __syncthreads();

  const int lane = static_cast<int>(threadIdx.x);
  const int first_row = static_cast<int>(threadIdx.y) * strip;
  const T* const corner = samples + first_row * pitch + margin + (lane - 1) * n;
  Value sum[terms][strip][n] = {};
#pragma unroll
  for (int r = 0; r < strip + size - 1; ++r) {
    Value window[3 * n];  // sample row r: the group before the thread's own, it, and the next
#pragma unroll
    for (int g = 0; g < 3; ++g) load_group<Value>(window + g * n, corner + r * pitch + g * n);
#pragma unroll
    for (int y = 0; y < strip; ++y) {
      const int j = r - y;  // the kernel row that output row y sees in sample row r
      if (j < 0 || j >= size) continue;
#pragma unroll
      for (int k = 0; k < terms; ++k)
#pragma unroll
        for (int x = 0; x < n; ++x) {
          Value chain = Arith::ordered ? Value(0) : sum[k][y][x];
#pragma unroll
          for (int i = 0; i < size; ++i)
            chain = multiply_add(work.taps[k][j * size + i], window[n - half + x + i], chain);
          sum[k][y][x] = Arith::ordered ? sum[k][y][x] + chain : chain;
        }
    }
  }

  const Plane<T> dst = tile.pair.dst.as<T>();
  const int x0 = tile.x + lane * n, y0 = tile.y + first_row;
  const auto response = [&](int k, int x, int y) { return to_response<Arith>(sum[k][y][x]); };
  if constexpr (terms == 1) {
    store_outputs<n, strip>(dst, x0, y0, work.sampling, work.finish,
                            [&](int x, int y) { return response(0, x, y); });
  } else {
    Combined<typename Arith::Response> combined[strip][n];
#pragma unroll
    for (int y = 0; y < strip; ++y)
#pragma unroll
      for (int x = 0; x < n; ++x) {
        combined[y][x].first(work.finish, response(0, x, y));
        combined[y][x].add(work.finish, response(1, x, y));
      }
    store_combined(dst, x0, y0, work.sampling, work.finish, combined);
  }
}

template <class T, class Arith, int size, int terms>
class DenseSmall final : public Convolver {
  using Value = typename Arith::Value;

 public:
  explicit DenseSmall(const Plan& plan) {
    work_.sampling = sampling_of(plan);
    work_.finish = plan.finish;
    for (int k = 0; k < terms; ++k) {
      const Taps& taps = plan.terms[static_cast<std::size_t>(k)];
      for (int j = 0; j < taps.height; ++j)
        for (int i = 0; i < taps.width; ++i)
          work_.taps[k][(size / 2 - taps.anchor_y + j) * size + size / 2 - taps.anchor_x + i] =
              static_cast<Value>(taps.dense[static_cast<std::size_t>(j * taps.width + i)]);
    }
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    for_each_batch(pairs, tile_width<T>, tile_height, [&](const Batch& batch, int blocks) {
      work_.batch = batch;
      dense_small_kernel<T, Arith, size, terms><<<blocks, dim3(lanes, warps), 0, stream>>>(work_);
      check_launch("cuda-dense-small");
    });
  }

 private:
  Work<Value, size, terms> work_{};
};

template <class T, class Arith, int terms>
std::unique_ptr<Convolver> make_sized(const Plan& plan) {
  switch (square_for(plan)) {
    case 3:
      return std::make_unique<DenseSmall<T, Arith, 3, terms>>(plan);
    case 5:
      return std::make_unique<DenseSmall<T, Arith, 5, terms>>(plan);
    case 7:
      return std::make_unique<DenseSmall<T, Arith, 7, terms>>(plan);
    default:
      return std::make_unique<DenseSmall<T, Arith, largest, terms>>(plan);
  }
}

}  // namespace
}  // namespace dense_small_kernels

// Takes common plans: two kernels, or a linear filter; sums below 2^24, and at 16 bits one kernel's
// of any size. Where the added zeros could be seen, in float, the taps must fill the square: a
// float sample may be infinite. Two matrices of floats must be 3x3 (sobel).
bool supports_dense_small(const Plan& plan) {
  using namespace dense_small_kernels;
  const int size = square_for(plan);
  if (size > largest || plan.terms.size() > max_terms || !supports_dense(plan)) return false;
  if (plan.terms.size() == 1 && plan.finish.combine != Combine::linear) return false;
  if (plan.sample.storage == Storage::f32)
    return (plan.terms.size() == 1 || size == smallest) &&
           std::ranges::all_of(plan.terms,
                               [&](const Taps& t) { return t.width == size && t.height == size; });
  return plan.arith == Arith::int32 &&
         (plan.fits24 || (plan.sample.storage == Storage::u16 && plan.terms.size() == 1));
}

std::unique_ptr<Convolver> make_dense_small(const Plan& plan, int) {
  using namespace dense_small_kernels;
  const bool single = plan.terms.size() == 1;
  switch (plan.sample.storage) {
    case Storage::u8:
      return single ? make_sized<std::uint8_t, ExactFloat, 1>(plan)
                    : make_sized<std::uint8_t, ExactFloat, 2>(plan);
    case Storage::u16:
      if (!plan.fits24) return make_sized<std::uint16_t, Integer, 1>(plan);
      return single ? make_sized<std::uint16_t, ExactFloat, 1>(plan)
                    : make_sized<std::uint16_t, ExactFloat, 2>(plan);
    case Storage::f32:
      if (single) return make_sized<float, OrderedFloat, 1>(plan);
      return std::make_unique<DenseSmall<float, OrderedFloat, smallest, max_terms>>(plan);
  }
  return nullptr;
}

}  // namespace vidconv::cuda
