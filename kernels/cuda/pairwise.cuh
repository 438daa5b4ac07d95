// What the threads of cuda-pairwise do: apart from how they are launched, so that it can be run
// wherever there are threads and a barrier.
#pragma once

#include "kernels/picture/border.h"
#include "kernels/plan/finish.h"
#include "kernels/plan/pairwise.h"

namespace vidconv::cuda {

namespace pairwise {

constexpr int row_threads = 256, row_tile = 1024;  // of a block that sums rows: its outputs
constexpr int lanes = 32, column_tile = 64;        // of one that sums columns: its rows of outputs
constexpr int at_once = 4;                         // rows that a thread reads before it writes
constexpr int largest = 513;                       // taps across or down

struct Work {
  Plane<const float> src;
  Plane<float> dst;
  BorderMode border;
  float outside;
  Finish finish;
  int width, height, anchor_x, anchor_y;  // of the taps
  float tap;
  float* sums;  // of each row of the plane, and of one outside it
  int pitch;    // values from one row of sums to the next
  int columns;  // of a block that sums columns: at most `lanes`
};

// Floats of shared memory.
constexpr int row_room = 3 * (row_tile + largest);
constexpr int column_room(const Work& work) {
  return (column_tile + work.height - 1 + at_once) * work.columns;
}

// Sums a tile of one row: blockIdx.x is the row, blockIdx.y the tile.
__device__ inline void sum_row(const Work& work, float* shared) {
  const int n = work.width, steps = pairwise_steps(n);
  const int x0 = static_cast<int>(blockIdx.y) * row_tile, y = static_cast<int>(blockIdx.x);
  const int width = work.dst.width - x0 < row_tile ? work.dst.width - x0 : row_tile;
  float* const values = shared;
  float* const to = work.sums + static_cast<std::ptrdiff_t>(y) * work.pitch + x0;
  for (int i = static_cast<int>(threadIdx.x); i < width + n - 1;
       i += static_cast<int>(blockDim.x)) {
    const int u = border_index(work.border, x0 - work.anchor_x + i, work.src.width);
    const float value = y < work.src.height && u >= 0
                            ? work.src.row(y)[static_cast<std::ptrdiff_t>(u) * work.src.step]
                            : work.outside;
    values[i] = value;
    if (steps == 0) to[i] = value;
  }
  __syncthreads();
  const float* sums = values;
  for (int k = 0; k < steps; ++k) {
    const PairwiseStep step = pairwise_step(n, k);
    const bool last = k + 1 == steps;
    // What is written was read before the last barrier, if ever.
    float* const next = last ? to : shared + (1 + k % 2) * (row_tile + largest);
    const int count = width + n - step.size();
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
      next[i] = step.sum(sums[i], sums[i + step.half], step.odd ? values[i + 2 * step.half] : 0);
    __syncthreads();
    sums = next;
  }
}

// Each thread sums a column of row sums for the outputs of its tile: blockIdx.x is the tile across,
// blockIdx.y the one down. No thread reads what another one has written.
__device__ inline void sum_columns(const Work& work, float* shared) {
  const int lane = static_cast<int>(threadIdx.x);
  const int x = static_cast<int>(blockIdx.x) * work.columns + lane;
  const int y0 = static_cast<int>(blockIdx.y) * column_tile;
  if (lane >= work.columns || x >= work.dst.width) return;
  const int n = work.height, steps = pairwise_steps(n);
  const int rows = work.dst.height - y0 < column_tile ? work.dst.height - y0 : column_tile;
  const auto value = [&](int j) {
    const int v = border_index(work.border, y0 - work.anchor_y + j, work.src.height);
    return work.sums[static_cast<std::ptrdiff_t>(v < 0 ? work.src.height : v) * work.pitch + x];
  };
  float* const sums = shared + lane;
  for (int j = 0; j < rows + n - 1; ++j) sums[j * work.columns] = value(j);
  for (int k = 0; k < steps; ++k) {
    const PairwiseStep step = pairwise_step(n, k);
    const int count = rows + n - step.size();
    for (int j = 0; j < count; j += at_once) {
      float made[at_once];
      // Beyond `count` nobody looks; the last sum there is stands in for them.
      for (int i = 0; i < at_once; ++i) {
        const int at = j + i < count ? j + i : count - 1;
        made[i] = step.sum(sums[at * work.columns], sums[(at + step.half) * work.columns],
                           step.odd ? value(at + 2 * step.half) : 0);
      }
      for (int i = 0; i < at_once; ++i)
        if (j + i < count) sums[(j + i) * work.columns] = made[i];
    }
  }
  for (int r = 0; r < rows; ++r) {
    const float response = work.tap * sums[r * work.columns];
    work.dst.row(y0 + r)[static_cast<std::ptrdiff_t>(x) * work.dst.step] =
        finish<float>(work.finish, &response, 1);
  }
}

}  // namespace pairwise
}  // namespace vidconv::cuda
