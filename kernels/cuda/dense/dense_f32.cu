// cuda-dense-f32: a matrix of floats, of fewer than 441 taps, over float samples.
//
// The chains of fused multiply-adds have the order of docs/numerics.md: one along each kernel row,
// then the rows from top to bottom. A thread makes 4 rows of two groups of 4 outputs, 128 columns
// apart, so that its reads of shared memory meet no bank conflicts; four taps, which come with one
// read that all lanes share, serve eight of its outputs. So there is little besides the
// multiply-adds, of which a 31x31 kernel needs 961 a sample.
#include <vector>

#include "kernels/cuda/common/arith.cuh"
#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device_array.h"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/output.cuh"
#include "kernels/cuda/common/shared_memory.h"
#include "kernels/cuda/common/tuning.h"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace dense_f32_kernels {
namespace {

constexpr int lanes = 32;
constexpr int warps = sm90::dense_f32.warps;  // a block's warps
constexpr int strip = sm90::dense_f32.strip;  // rows that a thread computes
constexpr int tile_height = warps * strip;
constexpr int n = group<float>;
constexpr int groups = 2;              // groups of outputs of a thread
constexpr int group_step = lanes * n;  // columns from one group to the next
constexpr int tile_width = groups * group_step;
constexpr int most_shared = 99 * 1024;  // bytes that every device of sm_80 and later gives a block

// In device memory, kernel rows lie `pitch` taps apart, each `skew` taps in, as its samples do from
// the last multiple of 4 columns on. The entries before and behind them are never used, because a
// sample may be infinite.
struct Work {
  Batch batch;
  Sampling sampling;
  Finish finish;
  const float* taps;
  int width, height;
  int anchor_x, anchor_y;
  int left, skew;    // samples loaded to the left of the tile, a multiple of 4: anchor_x + skew
  int sample_pitch;  // samples in a row of shared memory
  int pitch;         // a multiple of 4
};

using Sums = float[strip][groups][n];
constexpr int ahead = 2;  // groups of taps that are worked on in turn
using Window = float[groups][(ahead + 1) * n];

// Adds the products of the taps [at, at + n) of a kernel row; their samples begin at window[.][at].
template <int at>
__device__ inline void multiply_group(float (&chain)[groups][n], const float* taps,
                                      const Window& window) {
  float tap[n];
  load_group<float>(tap, taps + at);
#pragma unroll
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int g = 0; g < groups; ++g)
#pragma unroll
      for (int x = 0; x < n; ++x)
        chain[g][x] = multiply_add(tap[i], window[g][at + i + x], chain[g][x]);
}

// Adds the products of sample row r of the strip to the chains. Output row y sees it as its kernel
// row r - y; `all` says that each of the output rows has one.
template <bool all>
__device__ inline void sum_row(Sums& chain, const float* from, const float* taps, const Work& work,
                               int r) {
  const int end = work.skew + work.width;
  Window window;
  const auto load = [&](int group_of_window, int c) {
#pragma unroll
    for (int g = 0; g < groups; ++g)
      load_group<float>(window[g] + group_of_window * n, from + g * group_step + c);
  };
  const auto has = [&](int y) { return all || (r >= y && r - y < work.height); };
  const auto row_of_taps = [&](int y) { return taps + (r - y) * work.pitch; };
  // Adds the products of the four taps from c on, as far as there are any.
  const auto some = [&](int c) {
    load(1, c + n);
#pragma unroll
    for (int i = 0; i < n; ++i) {
      if (c + i < work.skew || c + i >= end) continue;
#pragma unroll
      for (int y = 0; y < strip; ++y) {
        if (!has(y)) continue;
        const float tap = row_of_taps(y)[c + i];
#pragma unroll
        for (int g = 0; g < groups; ++g)
#pragma unroll
          for (int x = 0; x < n; ++x)
            chain[y][g][x] = multiply_add(tap, window[g][i + x], chain[y][g][x]);
      }
    }
#pragma unroll
    for (int g = 0; g < groups; ++g)
#pragma unroll
      for (int x = 0; x < n; ++x) window[g][x] = window[g][n + x];
  };

  load(0, 0);
  int c = 0;
  if (work.skew > 0) some(0), c = n;
#pragma unroll 1
  for (; c + ahead * n <= end; c += ahead * n) {
    load(1, c + n);
    load(2, c + 2 * n);
#pragma unroll
    for (int y = 0; y < strip; ++y) {
      if (!has(y)) continue;
      multiply_group<0>(chain[y], row_of_taps(y) + c, window);
      multiply_group<n>(chain[y], row_of_taps(y) + c, window);
    }
#pragma unroll
    for (int g = 0; g < groups; ++g)
#pragma unroll
      for (int x = 0; x < n; ++x) window[g][x] = window[g][ahead * n + x];
  }
#pragma unroll 1
  for (; c < end; c += n) some(c);
}

__global__ void __launch_bounds__(lanes* warps, 2)
    dense_f32_kernel(const __grid_constant__ Work work) {
  extern __shared__ float4 shared[];
  auto* const samples = reinterpret_cast<float*>(shared);
  const int tile_rows = tile_height + work.height - 1;
  float* const taps = samples + tile_rows * work.sample_pitch;
  const Tile tile = this_tile(work.batch, tile_width, tile_height);
  for (int i = thread_index(); i < work.height * work.pitch; i += lanes * warps)
    taps[i] = work.taps[i];
  wait_for_earlier_kernels();
  const Piece piece{tile.x - work.left, tile.y - work.anchor_y,
                    work.sample_pitch,  tile_rows,
                    work.width,         work.height};
  load_tile<Rare::called>(samples, piece, tile.pair.src.as<const float>(), work.sampling);
  __syncthreads();

  const int lane = static_cast<int>(threadIdx.x);
  const int first_row = static_cast<int>(threadIdx.y) * strip;
  const float* from = samples + first_row * work.sample_pitch + lane * n;
  Sums sum = {};
#pragma unroll 1
  for (int r = 0; r < strip + work.height - 1; ++r, from += work.sample_pitch) {
    Sums chain = {};
    if (r >= strip - 1 && r < work.height) {
      sum_row<true>(chain, from, taps, work, r);
    } else {
      sum_row<false>(chain, from, taps, work, r);
    }
#pragma unroll
    for (int y = 0; y < strip; ++y) {
      if (r < y || r - y >= work.height) continue;
#pragma unroll
      for (int g = 0; g < groups; ++g)
#pragma unroll
        for (int x = 0; x < n; ++x) sum[y][g][x] = sum[y][g][x] + chain[y][g][x];
    }
  }

#pragma unroll
  for (int g = 0; g < groups; ++g)
    store_outputs<n, strip>(tile.pair.dst.as<float>(), tile.x + g * group_step + lane * n,
                            tile.y + first_row, work.sampling, work.finish,
                            [&](int x, int y) { return sum[y][g][x]; });
}

int skew_of(const Taps& taps) { return round_up(taps.anchor_x, n) - taps.anchor_x; }
int pitch_of(const Taps& taps) { return round_up(skew_of(taps) + taps.width, n); }
int sample_pitch_of(const Taps& taps) { return tile_width + pitch_of(taps); }
int shared_bytes_of(const Taps& taps) {
  const int samples = (tile_height + taps.height - 1) * sample_pitch_of(taps);
  return (samples + taps.height * pitch_of(taps)) * static_cast<int>(sizeof(float));
}

std::vector<float> laid_out(const Taps& taps) {
  const int pitch = pitch_of(taps), skew = skew_of(taps);
  std::vector<float> to(static_cast<std::size_t>(pitch * taps.height));
  for (int j = 0; j < taps.height; ++j)
    for (int i = 0; i < taps.width; ++i)
      to[static_cast<std::size_t>(j * pitch + skew + i)] =
          static_cast<float>(taps.dense[static_cast<std::size_t>(j * taps.width + i)]);
  return to;
}

class DenseF32 final : public Convolver {
 public:
  explicit DenseF32(const Plan& plan)
      : taps_(laid_out(plan.terms[0])), shared_bytes_(shared_bytes_of(plan.terms[0])) {
    const Taps& taps = plan.terms[0];
    work_.sampling = sampling_of(plan);
    work_.finish = plan.finish;
    work_.taps = taps_.data();
    work_.width = taps.width, work_.height = taps.height;
    work_.anchor_x = taps.anchor_x, work_.anchor_y = taps.anchor_y;
    work_.skew = skew_of(taps);
    work_.left = taps.anchor_x + work_.skew;
    work_.pitch = pitch_of(taps);
    work_.sample_pitch = sample_pitch_of(taps);
    allow_shared_memory("cuda-dense-f32", dense_f32_kernel, shared_bytes_);
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    for_each_batch(pairs, tile_width, tile_height, [&](const Batch& batch, int blocks) {
      work_.batch = batch;
      launch("cuda-dense-f32", dense_f32_kernel, blocks, dim3(lanes, warps), shared_bytes_, stream,
             work_);
    });
  }

 private:
  Work work_{};
  DeviceArray<float> taps_;
  int shared_bytes_;
};

}  // namespace
}  // namespace dense_f32_kernels

bool supports_dense_f32(const Plan& plan, const CudaAbilities& abilities) {
  using namespace dense_f32_kernels;
  return plan.sample.storage == Storage::f32 && plan.arith == Arith::float32 &&
         plan.terms.size() == 1 && plan.finish.combine == Combine::linear && supports_dense(plan) &&
         abilities.sm80() && shared_bytes_of(plan.terms[0]) <= most_shared;
}

std::unique_ptr<Convolver> make_dense_f32(const Plan& plan, int) {
  return std::make_unique<dense_f32_kernels::DenseF32>(plan);
}

}  // namespace vidconv::cuda
