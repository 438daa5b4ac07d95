// Several planes in one launch: which block computes which tile of which plane.
#pragma once

#include <algorithm>
#include <span>

#include "kernels/plane.h"

namespace vidconv::cuda {

// Travels by value as a launch parameter.
struct Batch {
  static constexpr int capacity = 4;
  PlanePair pairs[capacity];
  int columns[capacity];          // tiles side by side in each pair
  int first_block[capacity + 1];  // of each pair; the last entry in use is the size of the grid
};

// The plane that this block works on, and the output sample at the top left of its tile.
struct Tile {
  PlanePair pair;
  int x, y;
};

template <int width, int height>
__device__ inline Tile this_tile(const Batch& batch) {
  const int block = static_cast<int>(blockIdx.x);
  int i = 0;
  while (block >= batch.first_block[i + 1]) ++i;
  const int tile = block - batch.first_block[i];
  const int row = tile / batch.columns[i];
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
    if (count > 0) launch(batch, batch.first_block[count]);
    count = 0;
  };
  for (const PlanePair& pair : pairs) {
    const int columns = (pair.dst.width + tile_width - 1) / tile_width;
    const int rows = (pair.dst.height + tile_height - 1) / tile_height;
    if (columns < 1 || rows < 1) continue;
    batch.pairs[count] = pair;
    batch.columns[count] = columns;
    batch.first_block[count + 1] = batch.first_block[count] + columns * rows;
    if (++count == Batch::capacity) flush();
  }
  flush();
}

}  // namespace vidconv::cuda
