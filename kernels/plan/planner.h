// How a Plan is found: not for users of plans.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/plan/factor.h"
#include "kernels/plan/plan.h"

namespace vidconv {

// Builds one Plan; each try_ function fills it in and returns true, or leaves it for the next.
// Which is taken when: docs/numerics.md, "Which arithmetic".
class Planner {
 public:
  // `plan` has its samples, its border, and what finish() combines and clamps to. Both must outlive
  // the planner.
  Planner(const Filter& filter, Plan& plan);

  void make();

 private:
  using Integers = std::vector<std::int64_t>;

  // Taps that are integers over a divisor: sums without any error.
  bool try_exact();
  void add_exact_matrix(std::size_t kernel, const Integers& matrix, bool in_passes);
  void add_exact_passes(const Products& products);

  // Finds the products to compute where the taps are not exact: of a linear filter's kernel, or of
  // all kernels where that costs less than their taps.
  void find_passes();

  // Integer passes over rows and columns.
  bool try_passes();

  // Dense integer taps, with one power of two for all kernels of the filter.
  bool try_quantised();
  bool try_quantised_below(int sum_bits, double bound);

  // Thousands of taps whose sums int32 cannot hold finely enough: integers in double, because
  // sums of integers do not depend on how they are made, so that transforms may make them.
  bool try_many_quantised();

  // Floats under equal taps, a row and a column of them.
  bool try_pairwise();

  // Fused multiply-adds of the taps as they are.
  void use_real();

  // Of floats: one matrix of so many taps that transforms make its sums sooner, which can tell the
  // float nearest to a sum in double, but not what a chain of roundings in float gives.
  bool many_taps() const;

  bool linear() const { return filter_.combine == Combine::linear; }

  // The largest of the kernels' values; their sum where responses are added.
  double combined(const std::vector<double>& values) const;

  // Whether int32 reaches the smallest code of a result.
  bool lowest_fits(std::int64_t divisor) const;

  // A threshold, and a bias before an absolute value, are rounded to a unit of 2^-bits codes.
  double rounding_error(int bits) const;

  // Everything after the sum, where codes are `divisor` units.
  void set_integer_finish(std::int64_t divisor);

  // Also for l2 of integer responses, whose root is in units of 1 / divisor.
  void set_real_finish(double divisor);

  const Filter& filter_;
  Plan& plan_;
  int max_;
  double bias_;                   // in codes
  double threshold_;              // the same
  std::vector<Products> passes_;  // of each kernel; empty where the taps are computed as they are
};

// The place and size of a kernel, or of one of its products, without taps.
Taps shape_of(const Kernel& kernel);
// `joins`: whether it adds to the term before it.
Taps shape_of(const Product& product, bool joins);

// The range of what a row pass gives, for samples up to `max`.
void set_row_range(Taps& taps, int max);

inline bool two_dimensional(const Kernel& k) { return k.width() > 1 && k.height() > 1; }

template <class T>
std::vector<double> to_double(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

}  // namespace vidconv
