// A matrix as a sum of products of a column and a row, which turns one pass over the whole into
// passes over rows and columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/filter/kernel.h"

namespace vidconv {

// One product: it adds column[j] * row[i] to matrix[j][i].
template <class T>
struct Factors {
  std::vector<T> row, column;
};

// Returns the matrix as the sum of as many products as its rank. Exact: integers in, integers out.
// Empty where the rank is above max_rank, where the matrix is zero, and where the integers would
// need more than 52 bits.
std::vector<Factors<std::int64_t>> factor_exactly(std::span<const std::int64_t> matrix, int width,
                                                  int height, int max_rank = 1);

// Returns such products to within 1e-9 of the largest tap. The rows are scaled so that their
// absolute values sum to 1.
std::vector<Factors<double>> factor(std::span<const double> matrix, int width, int height,
                                    int max_rank = 1);

// One product of a kernel, with the anchor's place in it. Zeros around its taps are left out,
// except those between them and the anchor.
struct Product {
  std::vector<double> row, column;
  int anchor_x = 0, anchor_y = 0;

  int width() const { return static_cast<int>(row.size()); }
  int height() const { return static_cast<int>(column.size()); }
  double abs_sum() const;  // sum of |column * row|
};

// A kernel as a sum of products.
struct Products {
  std::vector<Product> list;
  double error = 0;  // sum of |kernel - sum of the products|

  double abs_sum() const;  // sum over all products
  // Returns the cost of passes over rows and columns, where one pass costs 1 a tap. `floats`:
  // whether samples are floats.
  double cost(bool floats) const;
};

// Returns a kernel of rank 1 as one product in its full size, and one of rank 2 to 4 as the
// products that cost less than one pass over all of its taps. A kernel that is a product but for
// its largest tap (sharpening, unsharp masks, high-pass filters) becomes that product and a product
// of one tap. Empty where there are none, or where they would nearly cancel out. `floats` is as for
// Products::cost().
Products find_products(const Kernel& kernel, bool floats);

// Returns the exact products of `numerators` in the shape of the kernel.
Products find_exact_products(std::span<const std::int64_t> numerators, const Kernel& shape);

}  // namespace vidconv
