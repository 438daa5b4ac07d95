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

constexpr SampleType bits16{Storage::u16, 16, 0}, bits14{Storage::u16, 14, 0},
    bits12{Storage::u16, 12, 0}, p010{Storage::u16, 10, 6};

enum class Taps {
  uneven,    // two passes; no two taps alike, so that none is taken for another
  lopsided,  // the same around another sample than the middle, wider than high
  real,      // a matrix of full rank that no arithmetic of integers takes exactly
  whole,     // a matrix of full rank of integers over 8
  length,    // of a gradient: two matrices of integers
};

struct StripsCase {
  const char* name;
  Taps taps;
  int size;
  SampleType sample;
  const char* variant;  // that brings such rows in its own way
};

std::vector<double> noise(int count, double least, double most, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<double> taps;
  for (int i = 0; i < count; ++i)
    taps.push_back(least + (most - least) * std::sqrt(static_cast<double>(random() % 2000) / 2000));
  return taps;
}

std::vector<double> whole_numbers(int count, int most, double divisor, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<double> taps;
  for (int i = 0; i < count; ++i)
    taps.push_back((static_cast<double>(random() % static_cast<unsigned>(2 * most + 1)) - most) /
                   divisor);
  return taps;
}

Filter strips_filter(const StripsCase& c, bool absolute) {
  Filter filter{.kernels = {}, .bias = absolute ? 0.25 : 0, .absolute = absolute};
  const int n = c.size;
  const auto seed = static_cast<unsigned>(n);
  // The sum of sizes stays near 1, for which floats are good enough at 16 bits.
  const double most = 1.6 / n;
  switch (c.taps) {
    case Taps::uneven:
      filter.kernels = {
          outer_product(noise(n, -0.6 * most, most, seed), noise(n, -0.6 * most, most, seed + 50))};
      break;
    case Taps::lopsided:
      filter.kernels = {outer_product(noise(n / 2, -0.6 * most, most, seed),
                                      noise(n - 1, -0.6 * most, most, seed + 50))
                            .with_anchor(n / 2 - 1, 0)};
      break;
    case Taps::real:
      filter.kernels = {Kernel(n, n, noise(n * n, -0.6 * most / n, most / n, seed))};
      break;
    case Taps::whole:
      filter.kernels = {Kernel(n, n, whole_numbers(n * n, 3, 8, seed))};
      break;
    case Taps::length:
      filter.kernels = {Kernel(n, n, whole_numbers(n * n, 2, 4, seed)),
                        Kernel(n, n, whole_numbers(n * n, 2, 4, seed + 50))};
      filter.combine = Combine::l2;
      break;
  }
  return filter;
}

class Strips : public testing::TestWithParam<StripsCase> {};

TEST_P(Strips, BeginAndEndAnywhere) {
  // Around multiples of 64 and 256 columns; narrower than the kernel, too.
  constexpr int widths[] = {4,   8,   12,  16,  20,  60,  64,  68,  72,  80,  124, 128, 132,
                            136, 188, 192, 252, 256, 260, 264, 272, 320, 324, 508, 520, 776};
  constexpr int heights[] = {1, 2, 3, 7, 8, 9, 16, 17, 33, 72, 150, 333};
  const StripsCase& c = GetParam();
  const int vector = 16 / c.sample.bytes();
#ifdef VIDCONV_HAVE_CUDA
  const Plan plan = make_plan(strips_filter(c, false), c.sample, {}, Role::colour);
  ASSERT_TRUE(find_variant(c.variant)->prepare(plan, {.generation = 9}));
#endif
  // Those of CUDA, for which all this is, meet more sizes.
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
    testing::Values(StripsCase{"float_3", Taps::uneven, 3, f32, "cuda-separable-f32"},
                    StripsCase{"float_5", Taps::uneven, 5, f32, "cuda-separable-f32"},
                    StripsCase{"float_7", Taps::uneven, 7, f32, "cuda-separable-f32"},
                    StripsCase{"float_9", Taps::uneven, 9, f32, "cuda-separable-f32"},
                    StripsCase{"float_11", Taps::uneven, 11, f32, "cuda-separable-f32"},
                    StripsCase{"float_13", Taps::uneven, 13, f32, "cuda-separable-f32"},
                    StripsCase{"float_15", Taps::uneven, 15, f32, "cuda-separable-f32"},
                    StripsCase{"float_17", Taps::uneven, 17, f32, "cuda-separable-f32"},
                    StripsCase{"float_19", Taps::uneven, 19, f32, "cuda-separable-f32-long"},
                    StripsCase{"float_27", Taps::uneven, 27, f32, "cuda-separable-f32-long"},
                    StripsCase{"float_33", Taps::uneven, 33, f32, "cuda-separable-f32-long"},
                    StripsCase{"sixteen_bits_3", Taps::uneven, 3, bits16, "cuda-separable-u16"},
                    StripsCase{"sixteen_bits_9", Taps::uneven, 9, bits16, "cuda-separable-u16"},
                    StripsCase{"sixteen_bits_17", Taps::uneven, 17, bits16, "cuda-separable-u16"},
                    StripsCase{"sixteen_bits_23", Taps::uneven, 23, bits16, "cuda-separable-u16"},
                    StripsCase{"sixteen_bits_31", Taps::uneven, 31, bits16, "cuda-separable-u16"},
                    StripsCase{"ten_bits_3", Taps::uneven, 3, p010, "cuda-separable-u16"},
                    StripsCase{"twelve_bits_7", Taps::uneven, 7, bits12, "cuda-separable-u16"},
                    StripsCase{"fourteen_bits_15", Taps::uneven, 15, bits14, "cuda-separable-u16"},
                    StripsCase{"sixteen_bits_lopsided", Taps::lopsided, 14, bits16,
                               "cuda-separable-u16"},
                    StripsCase{"float_matrix_3", Taps::real, 3, f32, "cuda-dense-rows"},
                    StripsCase{"float_matrix_5", Taps::real, 5, f32, "cuda-dense-small"},
                    StripsCase{"float_matrix_9", Taps::real, 9, f32, "cuda-dense-small"},
                    StripsCase{"float_matrix_11", Taps::real, 11, f32, "cuda-dense-f32-wide"},
                    StripsCase{"float_matrix_15", Taps::real, 15, f32, "cuda-dense-f32-wide"},
                    StripsCase{"float_matrix_17", Taps::real, 17, f32, "cuda-dense-f32-wide"},
                    StripsCase{"float_matrix_31", Taps::real, 31, f32, "cuda-dense-f32-wide"},
                    StripsCase{"sixteen_bit_matrix_3", Taps::real, 3, bits16, "cuda-dense-rows"},
                    StripsCase{"sixteen_bit_matrix_9", Taps::real, 9, bits16, "cuda-dense-rows"},
                    StripsCase{"whole_3", Taps::whole, 3, bits16, "cuda-dense-rows"},
                    StripsCase{"whole_3_p010", Taps::whole, 3, p010, "cuda-dense-rows"},
                    StripsCase{"whole_5", Taps::whole, 5, p010, "cuda-dense-imma"},
                    StripsCase{"length_3", Taps::length, 3, bits16, "cuda-dense-rows"},
                    StripsCase{"length_5", Taps::length, 5, p010, "cuda-dense-rows"},
                    StripsCase{"length_7", Taps::length, 7, bits12, "cuda-dense-rows"},
                    StripsCase{"length_float", Taps::length, 3, f32, "cuda-dense-rows"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace vidconv::test
