// Planes whose rows are whole aligned vectors, as frames have them: variants may bring such rows in
// a way of their own, in strips that begin and end in any column and any row.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kernels/variants/variants.h"
#include "tests/kernels/support/filters.h"
#include "tests/kernels/support/places.h"

namespace vidconv::test {
namespace {

constexpr SampleType strips_16{Storage::u16, 16, 0}, strips_14{Storage::u16, 14, 0},
    strips_12{Storage::u16, 12, 0}, strips_p010{Storage::u16, 10, 6};

enum class StripsTaps {
  uneven,          // two passes; no two taps alike, so that none is taken for another
  uneven_and_own,  // as uneven, and one tap more on the sample itself
  lopsided,        // as uneven, around another sample than the middle, wider than high
  equal,           // all the same
  equal_lopsided,  // as lopsided, but all the same
  equal_high,      // three columns of them
  real,            // a matrix of full rank that no arithmetic of integers takes exactly
  whole,           // a matrix of full rank of integers over 8
  length,          // the length of a gradient: two matrices of integers
};

struct StripsCase {
  const char* name;
  StripsTaps taps;
  int size;
  SampleType sample;
  const char* variant;  // the variant that reads such rows in its own way
};

std::vector<double> uneven_taps(int count, double least, double most, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<double> taps;
  for (int i = 0; i < count; ++i)
    taps.push_back(least + (most - least) * std::sqrt(static_cast<double>(random() % 2000) / 2000));
  return taps;
}

std::vector<double> whole_taps(int count, int most, double divisor, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<double> taps;
  for (int i = 0; i < count; ++i)
    taps.push_back((static_cast<double>(random() % static_cast<unsigned>(2 * most + 1)) - most) /
                   divisor);
  return taps;
}

std::vector<double> equal_taps(int count) {
  return std::vector<double>(static_cast<std::size_t>(count), 1.0 / count);
}

Filter strips_filter(const StripsCase& c, bool absolute) {
  Filter filter{.kernels = {}, .bias = absolute ? 0.25 : 0, .absolute = absolute};
  const int n = c.size;
  const auto seed = static_cast<unsigned>(n);
  // The sum of absolute taps stays near 1, for which floats are good enough at 16 bits.
  const double most = 1.6 / n;
  switch (c.taps) {
    case StripsTaps::uneven:
      filter.kernels = {outer_product(uneven_taps(n, -0.6 * most, most, seed),
                                      uneven_taps(n, -0.6 * most, most, seed + 50))};
      break;
    case StripsTaps::uneven_and_own: {
      const Kernel passes = outer_product(uneven_taps(n, -0.6 * most, most, seed),
                                          uneven_taps(n, -0.6 * most, most, seed + 50));
      std::vector<double> taps(passes.taps().begin(), passes.taps().end());
      taps[static_cast<std::size_t>(n / 2 * (n + 1))] += 0.7;
      filter.kernels = {Kernel(n, n, taps)};
      break;
    }
    case StripsTaps::lopsided:
      filter.kernels = {outer_product(uneven_taps(n / 2, -0.6 * most, most, seed),
                                      uneven_taps(n - 1, -0.6 * most, most, seed + 50))
                            .with_anchor(n / 2 - 1, 0)};
      break;
    case StripsTaps::equal:
      filter.kernels = {Kernel(n, n, equal_taps(n * n))};
      break;
    case StripsTaps::equal_lopsided:
      filter.kernels = {Kernel(n + 3, n, equal_taps((n + 3) * n)).with_anchor(n / 2 - 1, n - 2)};
      break;
    case StripsTaps::equal_high:
      filter.kernels = {Kernel(3, n, equal_taps(3 * n))};
      break;
    case StripsTaps::real:
      filter.kernels = {Kernel(n, n, uneven_taps(n * n, -0.6 * most / n, most / n, seed))};
      break;
    case StripsTaps::whole:
      filter.kernels = {Kernel(n, n, whole_taps(n * n, 3, 8, seed))};
      break;
    case StripsTaps::length:
      filter.kernels = {Kernel(n, n, whole_taps(n * n, 2, 4, seed)),
                        Kernel(n, n, whole_taps(n * n, 2, 4, seed + 50))};
      filter.combine = Combine::l2;
      break;
  }
  return filter;
}

class Strips : public testing::TestWithParam<StripsCase> {};

TEST_P(Strips, BeginAndEndAnywhere) {
  // Widths lie around multiples of 64 and 256 columns; some are narrower than the kernel.
  constexpr int widths[] = {4,   8,   12,  16,  20,  60,  64,  68,  72,  80,  124, 128, 132,
                            136, 188, 192, 252, 256, 260, 264, 272, 320, 324, 508, 520, 776};
  constexpr int heights[] = {1, 2, 3, 7, 8, 9, 16, 17, 33, 72, 150, 333};
  const StripsCase& c = GetParam();
  const int vector = 16 / c.sample.bytes();
#ifdef VIDCONV_HAVE_CUDA
  const Plan plan = make_plan(strips_filter(c, false), c.sample, {}, Role::colour);
  ASSERT_TRUE(find_variant(c.variant)->prepare(plan, {.generation = 9}));
#endif
  // Variants of CUDA, for which all this is, meet more sizes.
  const Places places{
      .widths = widths,
      .heights = heights,
      .arrangements = {{{.row_padding = vector, .guard = 64},
                        {.row_padding = 0, .guard = 64},
                        {.row_padding = 2 * vector, .bottom_up = true, .guard = 64}}},
      .whole = {.cuda = 3, .cpu = 307},
      .thin = {.cuda = 11, .cpu = 601}};
  expect_the_same_at(
      places, c.sample, [&](bool absolute) { return strips_filter(c, absolute); },
      static_cast<std::size_t>(c.size));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Strips,
    testing::Values(
        StripsCase{"float_3", StripsTaps::uneven, 3, f32, "cuda-separable-f32"},
        StripsCase{"float_5", StripsTaps::uneven, 5, f32, "cuda-separable-f32"},
        StripsCase{"float_7", StripsTaps::uneven, 7, f32, "cuda-separable-f32"},
        StripsCase{"float_9", StripsTaps::uneven, 9, f32, "cuda-separable-f32"},
        StripsCase{"float_11", StripsTaps::uneven, 11, f32, "cuda-separable-f32"},
        StripsCase{"float_13", StripsTaps::uneven, 13, f32, "cuda-separable-f32"},
        StripsCase{"float_15", StripsTaps::uneven, 15, f32, "cuda-separable-f32"},
        StripsCase{"float_17", StripsTaps::uneven, 17, f32, "cuda-separable-f32"},
        StripsCase{"float_19", StripsTaps::uneven, 19, f32, "cuda-separable-f32-long"},
        StripsCase{"float_27", StripsTaps::uneven, 27, f32, "cuda-separable-f32-long"},
        StripsCase{"float_33", StripsTaps::uneven, 33, f32, "cuda-separable-f32-long"},
        StripsCase{"float_35", StripsTaps::uneven, 35, f32, "cuda-separable-long"},
        StripsCase{"float_own_5", StripsTaps::uneven_and_own, 5, f32, "cuda-separable-f32"},
        StripsCase{"float_own_7", StripsTaps::uneven_and_own, 7, f32, "cuda-separable-f32"},
        StripsCase{"float_own_11", StripsTaps::uneven_and_own, 11, f32, "cuda-separable-f32"},
        StripsCase{"float_own_17", StripsTaps::uneven_and_own, 17, f32, "cuda-separable-f32"},
        StripsCase{"float_own_23", StripsTaps::uneven_and_own, 23, f32, "cuda-separable-f32-long"},
        StripsCase{"sixteen_bits_own_7", StripsTaps::uneven_and_own, 7, strips_16,
                   "cuda-separable-u16"},
        StripsCase{"sixteen_bits_own_19", StripsTaps::uneven_and_own, 19, strips_16,
                   "cuda-separable-u16"},
        StripsCase{"float_box_7", StripsTaps::equal, 7, f32, "cuda-pairwise"},
        StripsCase{"float_box_15", StripsTaps::equal, 15, f32, "cuda-pairwise"},
        StripsCase{"float_box_16", StripsTaps::equal, 16, f32, "cuda-pairwise"},
        StripsCase{"float_box_21", StripsTaps::equal, 21, f32, "cuda-pairwise"},
        StripsCase{"float_box_31", StripsTaps::equal, 31, f32, "cuda-pairwise"},
        StripsCase{"float_box_high", StripsTaps::equal_high, 69, f32, "cuda-pairwise"},
        StripsCase{"float_box_higher", StripsTaps::equal_high, 165, f32, "cuda-pairwise"},
        StripsCase{"float_box_lopsided", StripsTaps::equal_lopsided, 13, f32, "cuda-pairwise"},
        StripsCase{"sixteen_bits_35", StripsTaps::uneven, 35, strips_16, "cuda-separable-long"},
        StripsCase{"ten_bits_51", StripsTaps::uneven, 51, strips_p010, "cuda-separable-long"},
        StripsCase{"sixteen_bits_3", StripsTaps::uneven, 3, strips_16, "cuda-separable-u16"},
        StripsCase{"sixteen_bits_9", StripsTaps::uneven, 9, strips_16, "cuda-separable-u16"},
        StripsCase{"sixteen_bits_17", StripsTaps::uneven, 17, strips_16, "cuda-separable-u16"},
        StripsCase{"sixteen_bits_23", StripsTaps::uneven, 23, strips_16, "cuda-separable-u16"},
        StripsCase{"sixteen_bits_31", StripsTaps::uneven, 31, strips_16, "cuda-separable-u16"},
        StripsCase{"ten_bits_3", StripsTaps::uneven, 3, strips_p010, "cuda-separable-u16"},
        StripsCase{"twelve_bits_7", StripsTaps::uneven, 7, strips_12, "cuda-separable-u16"},
        StripsCase{"fourteen_bits_15", StripsTaps::uneven, 15, strips_14, "cuda-separable-u16"},
        StripsCase{"sixteen_bits_lopsided", StripsTaps::lopsided, 14, strips_16,
                   "cuda-separable-u16"},
        StripsCase{"float_matrix_3", StripsTaps::real, 3, f32, "cuda-dense-rows"},
        StripsCase{"float_matrix_5", StripsTaps::real, 5, f32, "cuda-dense-rows"},
        StripsCase{"float_matrix_7", StripsTaps::real, 7, f32, "cuda-dense-rows"},
        StripsCase{"float_matrix_9", StripsTaps::real, 9, f32, "cuda-dense-small"},
        StripsCase{"float_matrix_11", StripsTaps::real, 11, f32, "cuda-dense-f32-wide"},
        StripsCase{"float_matrix_15", StripsTaps::real, 15, f32, "cuda-dense-f32-wide"},
        StripsCase{"float_matrix_17", StripsTaps::real, 17, f32, "cuda-dense-f32-wide"},
        StripsCase{"float_matrix_31", StripsTaps::real, 31, f32, "cuda-dense-fft"},
        StripsCase{"sixteen_bit_matrix_3", StripsTaps::real, 3, strips_16, "cuda-dense-rows"},
        StripsCase{"sixteen_bit_matrix_9", StripsTaps::real, 9, strips_16, "cuda-dense-rows"},
        StripsCase{"whole_3", StripsTaps::whole, 3, strips_16, "cuda-dense-imma"},
        StripsCase{"whole_3_p010", StripsTaps::whole, 3, strips_p010, "cuda-dense-imma"},
        StripsCase{"whole_5", StripsTaps::whole, 5, strips_p010, "cuda-dense-imma"},
        StripsCase{"length_3", StripsTaps::length, 3, strips_16, "cuda-dense-rows"},
        StripsCase{"length_5", StripsTaps::length, 5, strips_p010, "cuda-dense-small"},
        StripsCase{"length_7", StripsTaps::length, 7, strips_12, "cuda-dense-small"},
        StripsCase{"length_float", StripsTaps::length, 3, f32, "cuda-dense-rows"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace vidconv::test
