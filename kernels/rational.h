// Finding the integers behind a kernel's taps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vidconv {

// taps[i] = numerators[i] / divisor
struct Rationals {
  std::vector<std::int64_t> numerators;
  std::int64_t divisor = 1;
};

// The taps as integers over the smallest common divisor, if there is one up to 2^24: nine times
// 1/9, 0.25, -0.1. A numerator counts as an integer when it is off by no more than a few roundings
// of a double (1e-15 of it, or 1e-12), which is far below every error bound.
std::optional<Rationals> find_rationals(std::span<const double> taps);

// The factors of a matrix of rank 1, matrix[j][i] = column[j] * row[i].
template <class T>
struct Factors {
  std::vector<T> row, column;
};

// Exact: integers in, integers out; none where the rank is not 1 or the matrix is zero.
std::optional<Factors<std::int64_t>> factor_exactly(std::span<const std::int64_t> matrix, int width,
                                                    int height);

// To within 1e-9 of the largest tap. The row is scaled so that its absolute values sum to 1.
std::optional<Factors<double>> factor(std::span<const double> matrix, int width, int height);

}  // namespace vidconv
