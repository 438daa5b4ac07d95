// The thread code of cuda-pairwise for squares of taps, apart from its launches.
//
// A block walks down a strip, 16 rows at a time. A thread makes 16 adjacent sums of a row, then 16
// outputs from one column of such sums. Both times it takes values one by one and keeps the last
// sums of each step in registers, for its column from one slab to the next: so no sum of a column
// is made twice.
#pragma once

#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/stream.cuh"
#include "kernels/cuda/common/tuning.h"
#include "kernels/plan/finish.h"
#include "kernels/plan/pairwise.h"

namespace vidconv::cuda::square {

constexpr SlabShape tuned = sm90::pairwise_square;
constexpr int threads = tuned.threads, tile_width = threads;
constexpr int slab_rows = tuned.slab_rows, depth = tuned.depth, across = tuned.across;
static_assert(tuned.columns == 1 && tile_width / across * slab_rows == threads);

// Passed by value as a launch parameter.
struct Work {
  Batch batch;
  Sampling sampling;
  int slabs;  // slabs of a tile
  float tap, offset;
  bool absolute;
};

// Rows begin an odd number of vectors of 16 bytes apart: so eight lanes that read vectors of
// several rows hit all banks once.
template <int n>
struct Layout {
  static constexpr int half = n / 2, margin = round_up(half, 4);
  static constexpr int pitch = ((tile_width + 2 * margin) / 4 | 1) * 4;
  using Samples = Stream<float, tile_width, margin, pitch, slab_rows, half, depth, threads>;
  static constexpr int sums_pitch = (tile_width / 4 | 1) * 4;
  static constexpr int bytes =
      Samples::bytes + slab_rows * sums_pitch * static_cast<int>(sizeof(float));
};

// Sums n neighbours, as values come one by one, `count` of them and `before` earlier ones. All
// indices are constants where loops are unrolled: then everything lies in registers, and values
// that are not needed are nowhere.
template <int n, int before, int count>
class Sums {
 public:
  __device__ void clear() {
#pragma unroll
    for (int k = 0; k < steps; ++k)
#pragma unroll
      for (int i = 0; i < before; ++i) level_[k][i] = 0;
  }
  // Takes value number i; returns the sum of the last n.
  __device__ float push(int i, float value) { return up<0>(before + i, value, value); }
  // Shifts values: number count - before and on become those before number 0.
  __device__ void go_on() {
#pragma unroll
    for (int k = 0; k < steps; ++k)
#pragma unroll
      for (int i = 0; i < before; ++i) level_[k][i] = level_[k][i + count];
  }

 private:
  static constexpr int steps = pairwise_steps(n);

  // `sum` ends with value number `at`, and is of as many values as a half of step k.
  template <int k>
  __device__ float up(int at, float value, float sum) {
    if constexpr (k == steps) {
      return sum;
    } else {
      constexpr PairwiseStep step = pairwise_step(n, k);
      constexpr int last = step.odd ? 1 : 0;
      level_[k][at] = sum;
      if (before == 0 && at < step.size() - 1) return 0;  // it began before number 0
      return up<k + 1>(at, value,
                       step.sum(level_[k][at - last - step.half], level_[k][at - last], value));
    }
  }

  float level_[steps][before + count];
};

// Sums a slab's rows.
template <int n>
__device__ void sum_rows(float* sums, const float* samples) {
  using L = Layout<n>;
  // Eight lanes at a time take two groups of sums in four rows: vectors that are 0 and 4 apart in a
  // row, and 1 from row to row, modulo 8.
  constexpr int groups = 32 / across, group_rows = 8 / groups;
  constexpr int per_row = tile_width / across / groups;  // times eight lanes
  const int lane = static_cast<int>(threadIdx.x) % 8, eight = static_cast<int>(threadIdx.x) / 8;
  const int column = (lane % groups + eight % per_row * groups) * across;
  const int row = lane / groups + eight / per_row * group_rows;
  constexpr int first = L::margin - L::half, count = across + n - 1;
  const float* const from = samples + row * L::pitch + column;
  float window[round_up(first + count, 4)];
#pragma unroll
  for (int i = 0; i < first + count; i += 4) {
    const float4 v = *reinterpret_cast<const float4*>(from + i);
    window[i] = v.x, window[i + 1] = v.y, window[i + 2] = v.z, window[i + 3] = v.w;
  }
  Sums<n, 0, count> of_row;
  float made[count];
#pragma unroll
  for (int i = 0; i < count; ++i) made[i] = of_row.push(i, window[first + i]);
  auto* const to = reinterpret_cast<float4*>(sums + row * L::sums_pitch + column);
#pragma unroll
  for (int i = 0; i < across; i += 4) {
    constexpr int at = n - 1;
    to[i / 4] = make_float4(made[at + i], made[at + i + 1], made[at + i + 2], made[at + i + 3]);
  }
}

// Does all of a block's work; `ring` has Layout<n>::bytes.
template <int n>
__device__ void filter_strip(const Work& work, float* ring) {
  using L = Layout<n>;
  // The first n - 1 rows of sums give no outputs.
  const int tile_height = work.slabs * slab_rows - (n - 1);
  const Tile tile = this_tile(work.batch, tile_width, tile_height);
  const Plane<float> dst = tile.pair.dst.as<float>();
  const int outputs = min(tile_height, dst.height - tile.y);
  const int slabs = (outputs + n - 1 + slab_rows - 1) / slab_rows;
  wait_for_earlier_kernels();
  typename L::Samples samples(ring, tile.x - L::margin, tile.y - L::half, slabs,
                              tile.pair.src.as<const float>(), work.sampling);
  float* const sums = ring + L::Samples::bytes / sizeof(float);
  const float* const column = sums + threadIdx.x;

  const int x = tile.x + static_cast<int>(threadIdx.x);
  const auto limit = static_cast<unsigned>(x < dst.width ? outputs : 0);
  int output = 1 - n;  // the output that the next row completes
  auto* to = reinterpret_cast<std::byte*>(dst.row(tile.y + output) +
                                          static_cast<std::ptrdiff_t>(x) * dst.step);
#ifdef __CUDA_ARCH__
  __builtin_assume(__isGlobal(to));  // or no store would let later loads of sums pass
#endif
  Sums<n, (n + 1) / 2, slab_rows> of_column;
  of_column.clear();
#pragma unroll 1
  for (int slab = 0; slab < slabs; ++slab, output += slab_rows) {
    sum_rows<n>(sums, samples.next());
    __syncthreads();
#pragma unroll
    for (int r = 0; r < slab_rows; ++r, to += dst.stride) {
      float v = work.tap * of_column.push(r, column[r * L::sums_pitch]);
      v = v + work.offset;
      if (work.absolute) v = v < 0 ? -v : v;
      if (static_cast<unsigned>(output + r) < limit) *reinterpret_cast<float*>(to) = v;
    }
    of_column.go_on();
  }
}

}  // namespace vidconv::cuda::square
