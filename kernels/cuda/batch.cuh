// Several planes in one launch: which block computes which tile of which plane.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>

#include "kernels/plane.h"

namespace vidconv::cuda {

// Travels by value as a launch parameter.
struct Batch {
  static constexpr int capacity = 4;
  PlanePair pairs[capacity];
  int columns[capacity];           // tiles side by side in each pair
  unsigned reciprocals[capacity];  // 2^32 / columns rounded up, or 0: see this_tile()
  int first_block[capacity + 1];   // of each pair; behind the last pair, the size of the grid
};

// The plane that this block works on, and the output sample at the top left of its tile.
struct Tile {
  PlanePair pair;
  int x, y;
};

// Every block waits for this before its first load: so there is no loop, and no division where the
// reciprocal gives the same.
__device__ inline Tile this_tile(const Batch& batch, int width, int height) {
  const int block = static_cast<int>(blockIdx.x);
  int i = 0;
#pragma unroll
  for (int k = 1; k < Batch::capacity; ++k) i += block >= batch.first_block[k];
  const int tile = block - batch.first_block[i];
  const unsigned reciprocal = batch.reciprocals[i];
  const int row = reciprocal != 0
                      ? static_cast<int>(__umulhi(static_cast<unsigned>(tile), reciprocal))
                      : tile / batch.columns[i];
  return {batch.pairs[i], (tile - row * batch.columns[i]) * width, row * height};
}

// Calls launch(batch, blocks) for all pairs, up to Batch::capacity at a time: once for a picture's
// planes. Empty planes are left out.
template <class Launch>
void for_each_batch(std::span<const PlanePair> pairs, int tile_width, int tile_height,
                    Launch launch) {
  Batch batch{};
  int count = 0;
  const auto flush = [&] {
    if (count == 0) return;
    const int blocks = batch.first_block[count];
    std::fill(batch.first_block + count + 1, std::end(batch.first_block), blocks);
    launch(batch, blocks);
    count = 0;
  };
  for (const PlanePair& pair : pairs) {
    const int columns = (pair.dst.width + tile_width - 1) / tile_width;
    const int rows = (pair.dst.height + tile_height - 1) / tile_height;
    if (columns < 1 || rows < 1) continue;
    batch.pairs[count] = pair;
    batch.columns[count] = columns;
    // Exact up to 2^32 / columns tiles; and 2^32 / 1 has 33 bits.
    const bool exact = columns > 1 && static_cast<double>(columns) * columns * rows < 0x1p32;
    batch.reciprocals[count] = exact ? ~0u / static_cast<unsigned>(columns) + 1 : 0;
    batch.first_block[count + 1] = batch.first_block[count] + columns * rows;
    if (++count == Batch::capacity) flush();
  }
  flush();
}

// For kernels whose blocks walk down strips of outputs, `step_height` rows a step but `lost` rows
// less in all: how many steps a strip should have. Blocks on one multiprocessor share its time, and
// four of them keep it busy; each takes as long as its steps and two more to begin and to end.
inline int best_steps(std::span<const PlanePair> pairs, int tile_width, int step_height, int lost,
                      int multiprocessors) {
  constexpr int most = 64, extra = 2;
  constexpr std::int64_t busy = 4;
  const int first = lost / step_height + 1;
  int best = first;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int steps = first; steps <= most; ++steps) {
    std::int64_t blocks = 0;
    const int height = steps * step_height - lost;
    for (const PlanePair& p : pairs)
      blocks += std::int64_t{(p.dst.width + tile_width - 1) / tile_width} *
                ((p.dst.height + height - 1) / height);
    const std::int64_t each = (blocks + multiprocessors - 1) / multiprocessors;
    const std::int64_t time = std::max(each, busy) * (steps + extra);
    if (time >= least) continue;
    least = time;
    best = steps;
  }
  return best;
}

}  // namespace vidconv::cuda
