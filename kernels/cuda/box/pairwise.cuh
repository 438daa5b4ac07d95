// The thread code of cuda-pairwise for any taps, apart from its launches, so that it can run
// wherever there are threads and a barrier.
#pragma once

#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/tile.cuh"
#include "kernels/picture/border.h"
#include "kernels/plan/pairwise.h"

namespace vidconv::cuda::pairwise {

constexpr int threads = 256;
constexpr int row_values = 8, column_values = 16;  // values of a thread
constexpr int row_places = threads * row_values;

struct Work {
  Plane<const float> src;
  Plane<float> dst;
  Sampling sampling;
  int width, height, anchor_x, anchor_y;  // the taps' size and anchor
  float tap, offset;
  bool absolute;
  float* sums;  // sums of each row of the plane, and of one outside it
  int pitch;    // values from one row of sums to the next
  int across;   // tiles side by side
  int tile;     // a tile's outputs: along a row, or down
  int columns;  // side by side in a block that sums columns
};

// Returns the floats of shared memory for `values` values of a thread: these and, twice, sums of
// them.
constexpr int room(int values) { return 3 * threads * values; }

// Returns how many columns a block sums: few where sums are long, so that most of them are outputs.
constexpr int columns_for(int n) { return n <= 17 ? 32 : n <= 65 ? 16 : n <= 161 ? 8 : 4; }
constexpr int column_places(int columns) { return threads * column_values / columns; }

// Does one step for all values of a thread; there are sums for the first `count` of the block's.
template <bool odd, int values>
__device__ inline void take_step(float (&own)[values], const float* single, const float* sums,
                                 float* next, int half, int count) {
#pragma unroll
  for (int j = 0; j < values; ++j) {
    const int i = static_cast<int>(threadIdx.x) + threads * j;
    if (i >= count) continue;
    const PairwiseStep step{half, odd};
    own[j] = step.sum(own[j], sums[i + half], odd ? single[i + 2 * half] : 0);
    next[i] = own[j];
  }
}

// Turns each value of a block into the sum of n values from there on. `lines` lines of values lie
// side by side, and neighbours in a line are `lines` apart; the first `count` values exist. A
// thread's values are `threads` apart.
template <int values>
__device__ inline void add_up(float (&own)[values], float* shared, int n, int lines, int count) {
  const int steps = pairwise_steps(n);
  if (steps == 0) return;
#pragma unroll
  for (int j = 0; j < values; ++j) shared[static_cast<int>(threadIdx.x) + threads * j] = own[j];
  const float* sums = shared;
#pragma unroll 1
  for (int k = 0; k < steps; ++k) {
    __syncthreads();
    const PairwiseStep step = pairwise_step(n, k);
    // Values that this overwrites were read before the last barrier, if ever.
    float* const next = shared + (1 + k % 2) * threads * values;
    const int left = count - (step.size() - 1) * lines;
    if (step.odd)
      take_step<true>(own, shared, sums, next, step.half * lines, left);
    else
      take_step<false>(own, shared, sums, next, step.half * lines, left);
    sums = next;
  }
}

// Sums a tile of one row.
__device__ inline void sum_row(const Work& work, float* shared) {
  const int y = static_cast<int>(blockIdx.x) / work.across;
  const int x0 = (static_cast<int>(blockIdx.x) - y * work.across) * work.tile;
  const int outputs = min(work.tile, work.dst.width - x0), count = outputs + work.width - 1;
  const bool inside = y < work.src.height;
  const float* const row = work.src.row(inside ? y : 0);
  const int first = x0 - work.anchor_x, thread = static_cast<int>(threadIdx.x);
  wait_for_earlier_kernels();
  float own[row_values] = {};
  if (inside && first >= 0 && first + count <= work.src.width) {
    const float* const from = row + static_cast<std::ptrdiff_t>(first + thread) * work.src.step;
#pragma unroll
    for (int j = 0; j < row_values; ++j)
      if (thread + threads * j < count)
        own[j] = from[static_cast<std::ptrdiff_t>(threads * j) * work.src.step];
  } else {
#pragma unroll
    for (int j = 0; j < row_values; ++j) {
      const int i = thread + threads * j;
      own[j] = work.sampling.outside;
      if (i >= count || !inside) continue;
      const int x = border_index(work.sampling.border, first + i, work.src.width);
      if (x >= 0) own[j] = row[static_cast<std::ptrdiff_t>(x) * work.src.step];
    }
  }
  add_up(own, shared, work.width, 1, count);
  float* const to = work.sums + static_cast<std::ptrdiff_t>(y) * work.pitch + x0;
#pragma unroll
  for (int j = 0; j < row_values; ++j)
    if (thread + threads * j < outputs) to[thread + threads * j] = own[j];
}

// Sums some columns of row sums, for the outputs of a tile.
__device__ inline void sum_columns(const Work& work, float* shared) {
  const int down = static_cast<int>(blockIdx.x) / work.across;
  const int left = (static_cast<int>(blockIdx.x) - down * work.across) * work.columns;
  const int thread = static_cast<int>(threadIdx.x);
  const int x = left + thread % work.columns, y0 = down * work.tile;
  const int first = thread / work.columns, apart = threads / work.columns;  // a thread's places
  const int outputs = min(work.tile, work.dst.height - y0), count = outputs + work.height - 1;
  const bool inside = x < work.dst.width;
  const float* const column = work.sums + x;
  const int top = y0 - work.anchor_y;
  wait_for_earlier_kernels();
  float own[column_values] = {};
  if (top >= 0 && top + count <= work.src.height) {
    const float* from = column + static_cast<std::ptrdiff_t>(top + first) * work.pitch;
    const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(apart) * work.pitch;
#pragma unroll
    for (int j = 0; j < column_values; ++j, from += step)
      if (first + j * apart < count && inside) own[j] = *from;
  } else {
#pragma unroll
    for (int j = 0; j < column_values; ++j) {
      const int place = first + j * apart;
      if (place >= count || !inside) continue;
      const int v = border_index(work.sampling.border, top + place, work.src.height);
      own[j] = column[static_cast<std::ptrdiff_t>(v < 0 ? work.src.height : v) * work.pitch];
    }
  }
  add_up(own, shared, work.height, work.columns, count * work.columns);
  if (!inside) return;
  auto* to = reinterpret_cast<std::byte*>(work.dst.row(y0 + first) +
                                          static_cast<std::ptrdiff_t>(x) * work.dst.step);
  const std::ptrdiff_t stride = work.dst.stride * apart;
#pragma unroll
  for (int j = 0; j < column_values; ++j, to += stride) {
    float v = work.tap * own[j];
    v = v + work.offset;
    if (work.absolute) v = v < 0 ? -v : v;
    if (first + j * apart < outputs) *reinterpret_cast<float*>(to) = v;
  }
}

}  // namespace vidconv::cuda::pairwise
