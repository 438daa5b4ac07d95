// A plan of many taps, whose sums Fourier transforms in double compute: of integers exactly, of
// floats within an error.
#pragma once

#include <optional>
#include <vector>

#include "kernels/plan/plan.h"

namespace vidconv {

struct FftPlan {
  // Samples that are transformed together, powers of two. A tile of them gives
  // (tile_width - taps.width + 1) x (tile_height - taps.height + 1) results.
  int tile_width = 0, tile_height = 0;
  // The taps are the sum over p of pieces[p] * 2^(piece_bits * p), row by row. More than one where
  // the errors of a single transform could reach half a unit.
  std::vector<std::vector<double>> pieces;
  int piece_bits = 0;
  // Of float samples: how far a sum is from the definition's, for tiles of norm 1.
  double error = 0;
};

// None for sums in float32, for several kernels, where two passes do, for real taps over integers,
// and where a sum of more than 52 bits is possible.
std::optional<FftPlan> make_fft_plan(const Plan& plan);

}  // namespace vidconv
