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

constexpr int threads = 256;
constexpr int across = 8;  // adjacent sums that a thread makes in the row pass
constexpr int strip = 22;  // outputs, one below the other, that it makes in the column pass
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

// Rows of sums are an odd number of 16-byte vectors long: eight lanes that write a vector of eight
// rows hit all banks once.
constexpr int sums_pitch = tile_width + 4;
static_assert(sums_pitch / 4 % 2 == 1);

// The samples from (x, y) on; x is a multiple of 4.
template <int count>
__device__ void load_window(float (&window)[count], const Plane<const float>& src, bool aligned,
                            int x, int y, const Sampling& sampling) {
  if (aligned && x >= 0 && x + count <= src.width && y >= 0 && y < src.height) {
    const auto* const from = reinterpret_cast<const float4*>(src.row(y) + x);
#pragma unroll
    for (int i = 0; i < count / 4; ++i) {
      const float4 v = __ldg(from + i);
      window[4 * i] = v.x, window[4 * i + 1] = v.y;
      window[4 * i + 2] = v.z, window[4 * i + 3] = v.w;
    }
  } else {
    float samples[count];  // in local memory, so that there is only one copy of this code
#pragma unroll 1
    for (int i = 0; i < count; ++i) samples[i] = read_code(src, x + i, y, sampling);
#pragma unroll
    for (int i = 0; i < count; ++i) window[i] = samples[i];
  }
}

template <int size>
__device__ void sum_rows(float* sums, const Tile& tile, const Work<size>& work) {
  constexpr int rows = tile_height + size - 1;
  constexpr int half = size / 2, margin = round_up(half, 4);
  constexpr int groups = tile_width / across;
  const Plane<const float> src = tile.pair.src.as<const float>();
  const bool aligned = is_aligned(src, 16);
  const int lane_row = static_cast<int>(threadIdx.x) % 8;
  const int x0 = static_cast<int>(threadIdx.x) / 8 % groups * across;
  for (int r = static_cast<int>(threadIdx.x) / (8 * groups) * 8 + lane_row; r < rows;
       r += threads / groups) {
    float window[across + 2 * margin];
    load_window(window, src, aligned, tile.x + x0 - margin, tile.y - half + r, work.sampling);
    float t[across] = {};
#pragma unroll
    for (int i = 0; i < size; ++i)
#pragma unroll
      for (int x = 0; x < across; ++x)
        t[x] = multiply_add(work.row[i], window[margin - half + x + i], t[x]);
    auto* const to = reinterpret_cast<float4*>(sums + r * sums_pitch + x0);
    to[0] = make_float4(t[0], t[1], t[2], t[3]);
    to[1] = make_float4(t[4], t[5], t[6], t[7]);
  }
}

template <int size>
__global__ void __launch_bounds__(threads, 4)
    separable_f32_kernel(const __grid_constant__ Work<size> work) {
  __shared__ __align__(16) float sums[(tile_height + size - 1) * sums_pitch];
  const Tile tile = this_tile(work.batch, tile_width, tile_height);
  sum_rows(sums, tile, work);
  __syncthreads();

  const int column = static_cast<int>(threadIdx.x) % tile_width;
  const int first_row = static_cast<int>(threadIdx.x) / tile_width * strip;
  const float* const from = sums + first_row * sums_pitch + column;
  float total[strip] = {};
#pragma unroll
  for (int r = 0; r < strip + size - 1; ++r) {
    const float t = from[r * sums_pitch];
#pragma unroll
    for (int y = 0; y < strip; ++y)
      if (r - y >= 0 && r - y < size) total[y] = multiply_add(work.column[r - y], t, total[y]);
  }

  const Plane<float> dst = tile.pair.dst.as<float>();
  const int x = tile.x + column, y0 = tile.y + first_row;
  if (x >= dst.width) return;
  float* to = dst.row(y0) + static_cast<std::ptrdiff_t>(x) * dst.step;
  const float offset = static_cast<float>(work.finish.real_offset);
  const int rows = dst.height - y0;
#pragma unroll
  for (int y = 0; y < strip; ++y) {
    if (y >= rows) return;
    // finish_real(), which would convert the offset each time.
    const float v = total[y] + offset;
    *to = work.finish.absolute && v < 0 ? -v : v;
    to = reinterpret_cast<float*>(reinterpret_cast<std::byte*>(to) + dst.stride);
  }
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
