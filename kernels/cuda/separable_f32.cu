// cuda-separable-f32: two passes over float samples, of 3 to 17 taps each way around the output
// sample, unrolled; every chain of fused multiply-adds in the order of docs/numerics.md.
#include <algorithm>

#include "kernels/cuda/arith.cuh"
#include "kernels/cuda/batch.cuh"
#include "kernels/cuda/check.h"
#include "kernels/cuda/tile.cuh"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr int across = 8;  // adjacent sums that a thread makes in the row pass
constexpr int strip = 20;  // outputs, one below the other, that it makes in the column pass
constexpr int tile_width = 64;
constexpr int tile_height = threads / tile_width * strip;
constexpr int largest = 17;

template <int size>
struct Work {
  Batch batch;
  Sampling sampling;
  Finish finish;
  float row[size], column[size];
};

// The samples of a tile, of which the row pass makes sums in place. Rows are an odd number of
// vectors of 16 bytes long: so eight lanes that read vectors of two rows hit all banks once.
template <int size>
struct Layout {
  static constexpr int half = size / 2, margin = round_up(half, 4);
  static constexpr int rows = tile_height + size - 1;
  static constexpr int pitch = ((tile_width + 2 * margin) / 4 | 1) * 4;
};

// The row pass: a warp takes four rows at a time, a lane a group of sums.
template <int size>
__device__ void sum_rows(float* samples, const Work<size>& work) {
  using L = Layout<size>;
  static_assert(4 * tile_width / across == 32);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int group = lane % 4 + lane / 8 % 2 * 4;
  const int lane_row = lane / 4 % 2 + lane / 16 * 2;
  for (int r = static_cast<int>(threadIdx.x) / 32 * 4 + lane_row; r < round_up(L::rows, 4);
       r += 4 * warps) {
    float window[across + 2 * L::margin];
    float* const at = samples + r * L::pitch + group * across;
    auto* const vectors = reinterpret_cast<float4*>(at);
    if (r < L::rows)
#pragma unroll
      for (int i = 0; i < (across + 2 * L::margin) / 4; ++i) {
        const float4 v = vectors[i];
        window[4 * i] = v.x, window[4 * i + 1] = v.y;
        window[4 * i + 2] = v.z, window[4 * i + 3] = v.w;
      }
    __syncwarp();  // all of the row is read
    float t[across] = {};
#pragma unroll
    for (int i = 0; i < size; ++i)
#pragma unroll
      for (int x = 0; x < across; ++x)
        t[x] = multiply_add(work.row[i], window[L::margin - L::half + x + i], t[x]);
    if (r < L::rows) {
      vectors[0] = make_float4(t[0], t[1], t[2], t[3]);
      vectors[1] = make_float4(t[4], t[5], t[6], t[7]);
    }
  }
}

// The column pass: a thread's strip, from sums that begin at its first column and row.
template <int size>
__device__ void store_columns(const float* sums, const Plane<float>& dst, int x, int y0,
                              const Work<size>& work) {
  if (x >= dst.width) return;
  float total[strip] = {};
#pragma unroll
  for (int r = 0; r < strip + size - 1; ++r) {
    const float t = sums[r * Layout<size>::pitch];
#pragma unroll
    for (int y = 0; y < strip; ++y)
      if (r - y >= 0 && r - y < size) total[y] = multiply_add(work.column[r - y], t, total[y]);
  }

  // finish_real(), which would convert the offset each time.
  const float offset = static_cast<float>(work.finish.real_offset);
#pragma unroll
  for (int y = 0; y < strip; ++y) total[y] = total[y] + offset;
  if (work.finish.absolute)
#pragma unroll
    for (int y = 0; y < strip; ++y) total[y] = total[y] < 0 ? -total[y] : total[y];

  auto* to = reinterpret_cast<std::byte*>(dst.row(y0) + static_cast<std::ptrdiff_t>(x) * dst.step);
  const int rows = dst.height - y0;
#pragma unroll
  for (int y = 0; y < strip; ++y) {
    if (rows < strip && y >= rows) return;
    *reinterpret_cast<float*>(to) = total[y];
    to += dst.stride;
  }
}

template <int size>
__global__ void __launch_bounds__(threads, 5)
    separable_f32_kernel(const __grid_constant__ Work<size> work) {
  using L = Layout<size>;
  __shared__ __align__(16) float samples[L::rows * L::pitch];
  const Tile tile = this_tile(work.batch, tile_width, tile_height);
  const Piece piece{
      tile.x - L::margin, tile.y - L::half, L::pitch, L::rows, L::half, L::half, L::half};
  load_tile(samples, piece, tile.pair.src.as<const float>(), work.sampling);
  __syncthreads();
  sum_rows(samples, work);
  __syncthreads();
  const int column = static_cast<int>(threadIdx.x) % tile_width;
  const int first_row = static_cast<int>(threadIdx.x) / tile_width * strip;
  store_columns(samples + first_row * L::pitch + column, tile.pair.dst.as<float>(), tile.x + column,
                tile.y + first_row, work);
}

template <int size>
class SeparableF32 final : public Convolver {
 public:
  explicit SeparableF32(const Plan& plan) {
    const Taps& taps = plan.terms[0];
    work_.sampling = sampling_of(plan);
    work_.finish = plan.finish;
    std::ranges::transform(taps.row, work_.row, [](double tap) { return static_cast<float>(tap); });
    std::ranges::transform(taps.column, work_.column,
                           [](double tap) { return static_cast<float>(tap); });
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    for_each_batch(pairs, tile_width, tile_height, [&](const Batch& batch, int blocks) {
      work_.batch = batch;
      separable_f32_kernel<size><<<blocks, threads, 0, stream>>>(work_);
      check_launch("cuda-separable-f32");
    });
  }

 private:
  Work<size> work_{};
};

template <int size>
std::unique_ptr<Convolver> make_sized(const Plan& plan) {
  if constexpr (size < largest)
    if (plan.terms[0].width > size) return make_sized<size + 2>(plan);
  return std::make_unique<SeparableF32<size>>(plan);
}

}  // namespace

// The taps must fill the square: where they do not, added zeros could be seen, because a sample may
// be infinite.
bool supports_separable_f32(const Plan& plan) {
  if (plan.sample.storage != Storage::f32 || !supports_separable(plan) || plan.terms.size() != 1 ||
      plan.finish.combine != Combine::linear)
    return false;
  const Taps& t = plan.terms[0];
  return t.width == t.height && t.width % 2 == 1 && t.width >= 3 && t.width <= largest &&
         t.anchor_x == t.width / 2 && t.anchor_y == t.height / 2;
}

std::unique_ptr<Convolver> make_separable_f32(const Plan& plan, int) { return make_sized<3>(plan); }

}  // namespace vidconv::cuda
