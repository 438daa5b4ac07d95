// cuda-dense-f32-wide: a matrix of floats of 11 to 31 columns, centred, and up to 49 rows, over
// float samples, unrolled along its rows.
//
// The chains of fused multiply-adds have the order of docs/numerics.md: one along each kernel row,
// then the rows from top to bottom. A thread makes some rows of 8 adjacent outputs. It has all
// samples of a row that these see in registers, and uses them for each of its rows; four taps come
// with one read that all lanes share, and serve 32 multiply-adds. So there is little besides these.
#include <algorithm>
#include <vector>

#include "kernels/cuda/common/arith.cuh"
#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device_array.h"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/output.cuh"
#include "kernels/cuda/common/shared_memory.h"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace dense_f32_wide_kernels {
namespace {

constexpr int lanes = 32;
constexpr int n = 8;       // adjacent outputs of a thread
constexpr int vector = 4;  // samples or taps in one read
constexpr int tile_width = lanes * n;
constexpr int highest = 49;

template <int width>
struct Shape {
  static constexpr int strip = width > 17 ? 4 : 8;  // rows that a thread computes
  static constexpr int warps = 32 / strip;          // a block's warps, one below the other
  static constexpr int blocks = 16 / warps;         // blocks on a multiprocessor
  static constexpr int tile_height = warps * strip;
  static constexpr int half = width / 2, left = round_up(half, vector);  // samples before the tile
  static constexpr int skew = left - half;
  static constexpr int pitch = tile_width + 2 * left;
  static constexpr int tap_pitch = round_up(width, vector);
  static constexpr int window = round_up(skew + n + width - 1, vector);
  static constexpr int samples(int height) { return (tile_height + height - 1) * pitch; }
  static constexpr int bytes(int height) { return (samples(height) + height * tap_pitch) * 4; }
};

struct Work {
  Batch batch;
  Sampling sampling;
  Finish finish;
  const float* taps;  // in device memory, rows Shape::tap_pitch apart
  int height, anchor_y;
};

// Adds the products of a kernel row with the samples to an output row.
template <int width>
__device__ inline void add_row(float (&total)[n], const float (&window)[Shape<width>::window],
                               const float* taps) {
  float chain[n] = {};
#pragma unroll
  for (int i = 0; i < width; i += vector) {
    float tap[vector];
    load_group<float>(tap, taps + i);
#pragma unroll
    for (int k = 0; k < vector && i + k < width; ++k)
#pragma unroll
      for (int x = 0; x < n; ++x)
        chain[x] = multiply_add(tap[k], window[Shape<width>::skew + i + k + x], chain[x]);
  }
#pragma unroll
  for (int x = 0; x < n; ++x) total[x] = total[x] + chain[x];
}

template <int width>
__global__ void __launch_bounds__(lanes* Shape<width>::warps, Shape<width>::blocks)
    dense_f32_wide_kernel(const __grid_constant__ Work work) {
  using S = Shape<width>;
  extern __shared__ float4 shared[];
  auto* const samples = reinterpret_cast<float*>(shared);
  float* const taps = samples + S::samples(work.height);
  const Tile tile = this_tile(work.batch, tile_width, S::tile_height);
  for (int i = thread_index(); i < work.height * S::tap_pitch; i += lanes * S::warps)
    taps[i] = work.taps[i];
  wait_for_earlier_kernels();
  const Piece piece{tile.x - S::left, tile.y - work.anchor_y,
                    S::pitch,         S::tile_height + work.height - 1,
                    S::half,          work.height};
  load_tile<Rare::called>(samples, piece, tile.pair.src.as<const float>(), work.sampling);
  __syncthreads();

  const int lane = static_cast<int>(threadIdx.x);
  constexpr int strip = S::strip;
  const int first_row = static_cast<int>(threadIdx.y) * strip;
  const float* from = samples + first_row * S::pitch + lane * n;
  const float* row_of_taps = taps;  // the kernel row that the first output row sees in sample row r
  float total[strip][n] = {};
#pragma unroll 1
  for (int r = 0; r < strip + work.height - 1; ++r, from += S::pitch, row_of_taps += S::tap_pitch) {
    float window[S::window];
#pragma unroll
    for (int i = 0; i < S::window; i += vector) load_group<float>(window + i, from + i);
#pragma unroll
    for (int y = 0; y < strip; ++y)
      if (r >= y && r - y < work.height)
        add_row<width>(total[y], window, row_of_taps - y * S::tap_pitch);
  }

  const Plane<float> dst = tile.pair.dst.as<float>();
  const int x = tile.x + lane * n, y = tile.y + first_row;
  if (is_aligned(dst, 16) && x + n <= dst.width) {
    auto* to = reinterpret_cast<std::byte*>(dst.row(y) + x);
#pragma unroll
    for (int r = 0; r < strip; ++r, to += dst.stride) {
      if (y + r >= dst.height) break;
#pragma unroll
      for (int i = 0; i < n; i += vector) {
        float v[vector];
#pragma unroll
        for (int k = 0; k < vector; ++k) v[k] = finish_real<float>(work.finish, total[r][i + k]);
        reinterpret_cast<float4*>(to)[i / vector] = make_float4(v[0], v[1], v[2], v[3]);
      }
    }
    return;
  }
#pragma unroll
  for (int part = 0; part < n; part += vector)
    store_outputs<vector, strip>(dst, x + part, y, work.sampling, work.finish,
                                 [&](int column, int row) { return total[row][part + column]; });
}

template <int width>
class DenseF32Wide final : public Convolver {
  using S = Shape<width>;
  static constexpr auto kernel = dense_f32_wide_kernel<width>;

 public:
  explicit DenseF32Wide(const Plan& plan)
      : taps_(laid_out(plan.terms[0])), shared_bytes_(S::bytes(plan.terms[0].height)) {
    work_.sampling = sampling_of(plan);
    work_.finish = plan.finish;
    work_.taps = taps_.data();
    work_.height = plan.terms[0].height, work_.anchor_y = plan.terms[0].anchor_y;
    allow_shared_memory("cuda-dense-f32-wide", kernel, shared_bytes_);
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    for_each_batch(pairs, tile_width, S::tile_height, [&](const Batch& batch, int blocks) {
      work_.batch = batch;
      launch("cuda-dense-f32-wide", kernel, blocks, dim3(lanes, S::warps), shared_bytes_, stream,
             work_);
    });
  }

 private:
  static DeviceArray<float> laid_out(const Taps& taps) {
    std::vector<float> to(static_cast<std::size_t>(S::tap_pitch * taps.height));
    for (int j = 0; j < taps.height; ++j)
      for (int i = 0; i < width; ++i)
        to[static_cast<std::size_t>(j * S::tap_pitch + i)] =
            static_cast<float>(taps.dense[static_cast<std::size_t>(j * width + i)]);
    return DeviceArray<float>(std::span<const float>(to));
  }

  Work work_{};
  DeviceArray<float> taps_;
  int shared_bytes_;
};

// Calls make.operator()<width>() where there is a kernel of that width; else returns `no`.
template <class Make, class Result>
Result with_width(int width, Result no, Make make) {
  switch (width) {
    case 11:
      return make.template operator()<11>();
    case 13:
      return make.template operator()<13>();
    case 15:
      return make.template operator()<15>();
    case 17:
      return make.template operator()<17>();
    case 21:
      return make.template operator()<21>();
    case 25:
      return make.template operator()<25>();
    case 31:
      return make.template operator()<31>();
    default:
      return no;
  }
}

}  // namespace
}  // namespace dense_f32_wide_kernels

bool supports_dense_f32_wide(const Plan& plan, const CudaAbilities& abilities) {
  using namespace dense_f32_wide_kernels;
  if (plan.sample.storage != Storage::f32 || plan.arith != Arith::float32 ||
      plan.terms.size() != 1 || !supports_dense(plan) || plan.finish.combine != Combine::linear ||
      !abilities.sm80())
    return false;
  constexpr int most_shared = 99 * 1024;  // bytes that every device of sm_80 and later allows
  const Taps& t = plan.terms[0];
  return t.anchor_x == t.width / 2 && t.height <= highest &&
         with_width(t.width, false,
                    [&]<int width>() { return Shape<width>::bytes(t.height) <= most_shared; });
}

std::unique_ptr<Convolver> make_dense_f32_wide(const Plan& plan, int) {
  using namespace dense_f32_wide_kernels;
  return with_width(plan.terms[0].width, std::unique_ptr<Convolver>(),
                    [&]<int width>() -> std::unique_ptr<Convolver> {
                      return std::make_unique<DenseF32Wide<width>>(plan);
                    });
}

}  // namespace vidconv::cuda
