// A matrix as a sum of products of a column and a row: what makes passes over rows and columns of
// one pass over the whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/filter/kernel.h"

namespace vidconv {

// column[j] * row[i] is what one product adds to matrix[j][i].
template <class T>
struct Factors {
  std::vector<T> row, column;
};

// The matrix as the sum of as many products as its rank. Exact: integers in, integers out. Empty
// where the rank is above max_rank, where the matrix is zero, and where the integers would need
// more than 52 bits.
std::vector<Factors<std::int64_t>> factor_exactly(std::span<const std::int64_t> matrix, int width,
                                                  int height, int max_rank = 1);

// The same to within 1e-9 of the largest tap. The rows are scaled so that their absolute values sum
// to 1.
std::vector<Factors<double>> factor(std::span<const double> matrix, int width, int height,
                                    int max_rank = 1);

// One product of a kernel, with the anchor's place in it; zeros around its taps, but for those that
// lie between them and the anchor, are left out.
struct Product {
  std::vector<double> row, column;
  int anchor_x = 0, anchor_y = 0;

  int width() const { return static_cast<int>(row.size()); }
  int height() const { return static_cast<int>(column.size()); }
  double abs_sum() const;  // of column * row
};

// A kernel as a sum of products.
struct Products {
  std::vector<Product> list;
  double error = 0;  // sum of |kernel - sum of the products|

  double abs_sum() const;  // of all of them
  // What passes over rows and columns cost, where one pass costs 1 a tap. `floats`: of samples.
  double cost(bool floats) const;
};

// A kernel of rank 1 as one product in its full size; of rank 2 to 4 as the products that cost less
// than one pass over all of its taps. Empty where there are none, or where they would nearly cancel
// out. What is a product but for its largest tap (sharpening, unsharp masks, high-pass filters)
// becomes that product and a product of one tap. `floats`: as of Products::cost().
Products find_products(const Kernel& kernel, bool floats);

// The same for `numerators` in the shape of the kernel, exactly.
Products find_exact_products(std::span<const std::int64_t> numerators, const Kernel& shape);

}  // namespace vidconv
