// Several planes in one launch: which block computes which tile of which plane.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>

#include "kernels/picture/plane.h"

namespace vidconv::cuda {

// Holds the planes of one launch. Passed by value as a launch parameter.
struct Batch {
  static constexpr int capacity = 4;
  PlanePair pairs[capacity];
  int columns[capacity];           // tiles side by side in each pair
  unsigned reciprocals[capacity];  // 2^32 / columns rounded up, or 0: see this_tile()
  int first_block[capacity + 1];   // each pair's first block; behind the last one, the grid's size
};

// The plane that this block works on, and the output sample at the top left of its tile.
struct Tile {
  PlanePair pair;
  int x, y;
};

// Every block waits for this before its first load: so there is no loop, and no division where the
// reciprocal gives the same result.
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

// Parts pairs into batches: one for a picture's planes. Skips empty planes.
class Batches {
 public:
  Batches(std::span<const PlanePair> pairs, int tile_width, int tile_height)
      : pairs_(pairs), tile_width_(tile_width), tile_height_(tile_height) {}

  // Returns the number of blocks of the next batch; 0 after the last one.
  int next(Batch& batch) {
    int count = 0;
    for (; !pairs_.empty() && count < Batch::capacity; pairs_ = pairs_.subspan(1)) {
      const PlanePair& pair = pairs_.front();
      const int columns = (pair.dst.width + tile_width_ - 1) / tile_width_;
      const int rows = (pair.dst.height + tile_height_ - 1) / tile_height_;
      if (columns < 1 || rows < 1) continue;
      batch.pairs[count] = pair;
      batch.columns[count] = columns;
      // The reciprocal is exact up to 2^32 / columns tiles; 2^32 / 1 would need 33 bits.
      const bool exact = columns > 1 && static_cast<double>(columns) * columns * rows < 0x1p32;
      batch.reciprocals[count] = exact ? ~0u / static_cast<unsigned>(columns) + 1 : 0;
      batch.first_block[count + 1] = batch.first_block[count] + columns * rows;
      ++count;
    }
    const int blocks = batch.first_block[count];
    std::fill(batch.first_block + count, std::end(batch.first_block), blocks);
    return blocks;
  }

 private:
  std::span<const PlanePair> pairs_;
  int tile_width_, tile_height_;
};

// Calls launch(batch, blocks) for all pairs, in batches.
template <class Launch>
void for_each_batch(std::span<const PlanePair> pairs, int tile_width, int tile_height,
                    Launch launch) {
  Batch batch{};
  Batches batches(pairs, tile_width, tile_height);
  while (const int blocks = batches.next(batch)) launch(batch, blocks);
}

}  // namespace vidconv::cuda
