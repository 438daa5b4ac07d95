// Turns real taps into integer taps with a known error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/plan/factor.h"

namespace vidconv {

// taps[i] is about numerators[i] / 2^bits, and their sum is right to half a unit.
struct Quantised {
  std::vector<std::int64_t> numerators;
  int bits = 0;
  double error = 0;  // sum over i of |taps[i] - numerators[i] / 2^bits|
};

// Rounds each tap to a multiple of 2^-bits and puts what the sum lost into the tap at `residual`.
// |tap| * 2^bits must be below 2^40.
Quantised quantise(std::span<const double> taps, std::size_t residual, int bits);

// The sums of a kernel's positive and of its negative numerators (the second is <= 0).
struct Extent {
  std::int64_t positive = 0, negative = 0;
  std::int64_t total() const { return positive - negative; }
};
Extent extent(std::span<const std::int64_t> numerators);

// Products quantised for int32 passes with intermediates of at most 16 bits.
struct QuantisedPasses {
  struct Pass {
    Quantised row, column;
    int row_shift = 0;  // after the row pass
  };
  std::vector<Pass> list;     // one for each product
  int intermediate_bits = 0;  // fraction bits of every intermediate
  int column_bits = 0;        // fraction bits of every column
  double error = 0;           // error of the sum, in codes, before the last rounding
};

// Returns the finest quantisation of one matrix in which |numerators| <= 32767 and every sum over
// samples up to `max`, with `headroom` codes beside it, stays below 2^sum_bits; nothing where there
// is none.
std::optional<Quantised> quantise_dense(std::span<const double> taps, std::size_t residual, int max,
                                        double headroom, int sum_bits);

// Returns the finest quantisation of passes of products that are added up; `row_sum_bits` limits
// the sums of row passes. Needs sum |row| = 1.
std::optional<QuantisedPasses> quantise_passes(std::span<const Product> products, int max,
                                               double headroom, int row_sum_bits);

// Returns a blur of 3x3 in two passes, each p, 1 - 2p, p with 0 <= p < 1/2, in units so coarse that
// 16 bits hold differences of intermediates (docs/numerics.md, "Integer passes"). Nothing for other
// products, and for samples of more than 10 bits.
std::optional<QuantisedPasses> quantise_short_blur(const Product& product, int max,
                                                   double headroom);

}  // namespace vidconv
