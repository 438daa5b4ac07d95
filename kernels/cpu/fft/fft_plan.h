// A plan of many taps, whose sums are computed by Fourier transforms in double: exactly for
// integers, within an error for floats.
#pragma once

#include <optional>
#include <vector>

#include "kernels/plan/plan.h"

namespace vidconv {

struct FftPlan {
  // The samples that are transformed together; both are powers of two. A tile of them gives
  // (tile_width - taps.width + 1) x (tile_height - taps.height + 1) results.
  int tile_width = 0, tile_height = 0;
  // The taps are the sum over p of pieces[p] * 2^(piece_bits * p), row by row. There is more than
  // one piece where the errors of a single transform could reach half a unit.
  std::vector<std::vector<double>> pieces;
  int piece_bits = 0;
  // The largest distance of a sum of float samples from the definition's, for tiles of norm 1.
  double error = 0;
};

// Returns nothing for sums in float32, for several kernels, where two passes do, for real taps over
// integers, and where a sum of more than 52 bits is possible.
std::optional<FftPlan> make_fft_plan(const Plan& plan);

}  // namespace vidconv
