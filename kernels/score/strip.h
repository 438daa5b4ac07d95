// Four rows of two planes, and the sums of them that scores are made of.
#pragma once

#include <cstdint>

namespace vidconv {

// Rows of codes without gaps.
template <class T>
struct Strip {
  const T* a[4];
  const T* b[4];
};

// Sums over blocks of 4 x 4 samples, an entry a block: of a, of b, of the squares of both and of
// their products. All are integers below 2^53. There is room for as many blocks as there are.
struct BlockSums {
  double *a, *b, *squares, *products;
};

// Sums up whole vectors of blocks, of samples of at most 12 bits. Returns how many blocks were
// done, from the first one on.
int sum_blocks(const Strip<std::uint8_t>& strip, int blocks, const BlockSums& to);
int sum_blocks(const Strip<std::uint16_t>& strip, int blocks, const BlockSums& to);

// The constants that keep SSIM's quotient away from 0 / 0.
struct SsimConstants {
  double c1, c2;
};

// Computes the SSIM of the windows of 8 x 8 samples that begin with each block but the last: two
// blocks of `above` and two of `below`.
void score_windows(const BlockSums& above, const BlockSums& below, int windows,
                   const SsimConstants& constants, double* to);

}  // namespace vidconv
