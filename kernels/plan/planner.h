// Planner: finds a Plan; not for users of plans.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/plan/factor.h"
#include "kernels/plan/plan.h"

namespace vidconv {

// Builds one Plan; each try_ function fills it in and returns true, or leaves it for the next.
// docs/numerics.md, "Which arithmetic", says which is taken when.
class Planner {
 public:
  // `plan` has its samples, its border, and what finish() combines and clamps to. Both must outlive
  // the planner.
  Planner(const Filter& filter, Plan& plan);

  // A product of passes is computed as it is, in floats or doubles.
  void make();

 private:
  using Integers = std::vector<std::int64_t>;

  // Uses taps that are integers over a divisor: sums without any error.
  bool try_exact();
  void add_exact_matrix(std::size_t kernel, const Integers& matrix, bool in_passes);
  void add_exact_passes(const Products& products);

  // Finds the products to compute where the taps are not exact: those of a linear filter's kernel,
  // or of all kernels where that costs less than their taps.
  void find_passes();

  // Uses integer passes over rows and columns.
  bool try_passes();

  // Uses dense integer taps, with one power of two for all kernels of the filter.
  bool try_quantised();
  bool try_quantised_below(int sum_bits, double bound);

  // Uses integers in double for thousands of taps whose sums int32 cannot hold finely enough: sums
  // of integers do not depend on the order, so transforms may make them.
  bool try_many_quantised();

  // Uses equal taps of floats, a row and a column of them.
  bool try_pairwise();

  // Uses fused multiply-adds of the taps as they are.
  void use_real();

  // Whether the filter is one matrix over floats with so many taps that transforms are faster. They
  // can tell the float nearest to a sum in double, but not what a chain of roundings in float
  // gives.
  bool many_taps() const;

  bool linear() const { return filter_.combine == Combine::linear; }

  // Returns the largest of the kernels' values; their sum where responses are added.
  double combined(const std::vector<double>& values) const;

  // Whether int32 reaches the smallest code of a result.
  bool lowest_fits(std::int64_t divisor) const;

  // Returns the error of rounding a threshold, and a bias before an absolute value, to units of
  // 2^-bits codes.
  double rounding_error(int bits) const;

  // Sets everything after the sum, where a code is `divisor` units.
  void set_integer_finish(std::int64_t divisor);

  // Also for l2 of integer responses, whose root is in units of 1 / divisor.
  void set_real_finish(double divisor);

  const Filter& filter_;
  Plan& plan_;
  int max_;
  double bias_;                   // in codes
  double threshold_;              // in codes
  std::vector<Products> passes_;  // for each kernel; empty where the taps are computed as they are
};

// Returns the place and size of a kernel, or of one of its products, without taps.
Taps shape_of(const Kernel& kernel);
// `joins`: whether it adds to the term before it.
Taps shape_of(const Product& product, bool joins);

// Sets the range of the row pass's results, for samples up to `max`.
void set_row_range(Taps& taps, int max);

inline bool two_dimensional(const Kernel& k) { return k.width() > 1 && k.height() > 1; }

template <class T>
std::vector<double> to_double(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

}  // namespace vidconv
