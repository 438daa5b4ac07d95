// Kernels as sums of products, and the plans made of them.
#include "kernels/plan/factor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/plan/plan.h"
#include "kernels/spec/parse.h"

namespace vidconv {
namespace {

using Integers = std::vector<std::int64_t>;

template <class T>
std::vector<T> product_sum(const std::vector<Factors<T>>& factors) {
  std::vector<T> matrix(factors[0].row.size() * factors[0].column.size());
  for (const Factors<T>& f : factors)
    for (std::size_t j = 0; j < f.column.size(); ++j)
      for (std::size_t i = 0; i < f.row.size(); ++i)
        matrix[j * f.row.size() + i] += f.column[j] * f.row[i];
  return matrix;
}

TEST(Factors, OfRankOne) {
  const Integers matrix = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
  const auto f = factor_exactly(matrix, 3, 3);
  ASSERT_EQ(f.size(), 1U);
  EXPECT_EQ(product_sum(f), matrix);

  const Integers multiple = {0, 0, 0, 6, 9, 0, 0, 0, 0, 4, 6, 0};
  const auto g = factor_exactly(multiple, 3, 4);
  ASSERT_EQ(g.size(), 1U);
  EXPECT_EQ(g[0].row, (Integers{2, 3, 0}));
  EXPECT_EQ(g[0].column, (Integers{0, 3, 0, 2}));
}

TEST(Factors, NoneForOtherRanks) {
  EXPECT_TRUE(factor_exactly(Integers{1, 0, 0, 1}, 2, 2).empty());
  EXPECT_TRUE(factor_exactly(Integers(4), 2, 2).empty());
  // A product of the first row and column would overflow.
  constexpr std::int64_t large = std::int64_t{1} << 44;
  EXPECT_TRUE(factor_exactly(Integers{1, large, large, 0}, 2, 2, 2).empty());
  EXPECT_TRUE(factor(std::vector<double>{1, 0, 0, 1}, 2, 2).empty());
  EXPECT_TRUE(factor(std::vector<double>(4), 2, 2).empty());
  EXPECT_TRUE(factor(std::vector<double>{1, 1, 1, 1 + 1e-6}, 2, 2).empty());
}

TEST(Factors, RealRowsSumToOne) {
  const std::vector<double> column = {0.3, -1.7, 2.2}, row = {std::sqrt(2.0), -0.5, 0, 1e-4};
  std::vector<double> matrix;
  for (double c : column)
    for (double r : row) matrix.push_back(c * r);
  const auto f = factor(matrix, 4, 3);
  ASSERT_EQ(f.size(), 1U);
  double sum = 0;
  for (double r : f[0].row) sum += std::abs(r);
  EXPECT_NEAR(sum, 1, 1e-15);
  const auto again = product_sum(f);
  for (std::size_t i = 0; i < matrix.size(); ++i) EXPECT_NEAR(again[i], matrix[i], 1e-12);
}

TEST(Factors, OfAnyRank) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const auto width = 1 + random() % 9, height = 1 + random() % 9;
    const int rank = 1 + static_cast<int>(random() % 4);
    std::vector<Factors<std::int64_t>> terms(static_cast<std::size_t>(rank));
    for (auto& [row, column] : terms) {
      for (unsigned i = 0; i < width; ++i) row.push_back(static_cast<int>(random() % 9) - 4);
      for (unsigned j = 0; j < height; ++j) column.push_back(static_cast<int>(random() % 9) - 4);
    }
    const Integers matrix = product_sum(terms);
    const auto w = static_cast<int>(width), h = static_cast<int>(height);
    const auto exact = factor_exactly(matrix, w, h, rank);
    const std::vector<double> real(matrix.begin(), matrix.end());
    const auto close = factor(real, w, h, rank);
    EXPECT_EQ(exact.size(), close.size());
    if (exact.empty()) continue;  // a matrix of zeros
    EXPECT_EQ(product_sum(exact), matrix);
    const auto again = product_sum(close);
    for (std::size_t i = 0; i < matrix.size(); ++i) EXPECT_NEAR(again[i], real[i], 1e-5);
    if (exact.size() > 1) {
      EXPECT_TRUE(factor_exactly(matrix, w, h, static_cast<int>(exact.size()) - 1).empty());
    }
  }
}

// Returns a matrix of 15x15, anchored at its centre: `amount` at the centre less a bell.
Kernel unsharp(double amount) {
  std::vector<double> bell;
  for (int i = -7; i <= 7; ++i) bell.push_back(std::exp(-i * i / 8.0) / 5.0);
  std::vector<double> taps;
  for (double c : bell)
    for (double r : bell) taps.push_back(-c * r);
  taps[7 * 15 + 7] += amount;
  return {15, 15, taps};
}

TEST(Products, AProductButForItsLargestTap) {
  const Products p = find_products(unsharp(2), false);
  ASSERT_EQ(p.list.size(), 2U);
  EXPECT_EQ(p.list[0].width(), 15);
  EXPECT_EQ(p.list[0].height(), 15);
  EXPECT_EQ(p.list[1].row, std::vector<double>{1});
  ASSERT_EQ(p.list[1].column.size(), 1U);
  EXPECT_NEAR(p.list[1].column[0], 2, 1e-12);
  EXPECT_LT(p.error, 1e-13);
}

TEST(Products, OfFiveTapsAndOneCostLessThanAMatrixOfFloats) {
  const std::vector<double> bell{1, 4, 6, 4, 1};
  std::vector<double> taps;
  for (double c : bell)
    for (double r : bell) taps.push_back(-c * r / 256);
  taps[12] += 2;
  const Products p = find_products(Kernel(5, 5, taps), true);
  ASSERT_EQ(p.list.size(), 2U);
  EXPECT_EQ(p.list[0].width(), 5);
  EXPECT_EQ(p.list[1].width() * p.list[1].height(), 1);
  EXPECT_LT(p.cost(true), 25);
  EXPECT_TRUE(find_products(Kernel(5, 5, taps), false).list.empty()) << "of codes";
  taps[3] += 1;  // a second tap beside the product
  EXPECT_TRUE(find_products(Kernel(5, 5, taps), true).list.empty());
}

TEST(Products, AreTrimmedToTheirTapsAndTheAnchor) {
  // A product in the middle columns, another in a corner beyond the anchor.
  std::vector<double> taps(20 * 20);
  for (std::size_t j = 2; j < 18; ++j)
    for (std::size_t i = 4; i < 16; ++i) taps[j * 20 + i] = 1;
  taps[19 * 20 + 18] = 5;
  const Products p = find_products(Kernel(20, 20, taps), false);
  ASSERT_EQ(p.list.size(), 2U);
  EXPECT_EQ(p.list[0].width(), 12);
  EXPECT_EQ(p.list[0].height(), 16);
  EXPECT_EQ(p.list[0].anchor_x, 6);
  EXPECT_EQ(p.list[0].anchor_y, 8);
  EXPECT_EQ(p.list[1].anchor_x, 0);  // columns 10 to 18
  EXPECT_EQ(p.list[1].width(), 9);
  EXPECT_EQ(p.list[1].height(), 10);
  EXPECT_EQ(p.error, 0);
}

TEST(Products, NoneWhereTheyCostMore) {
  EXPECT_TRUE(find_products(Kernel(3, 3, {0, -1, 0, -1, 5, -1, 0, -1, 0}), true).list.empty());
  std::mt19937 random(2);
  std::vector<double> taps(40 * 40);
  for (double& tap : taps) tap = static_cast<double>(random()) * 0x1p-32;
  EXPECT_TRUE(find_products(Kernel(40, 40, taps), true).list.empty());  // full rank
}

TEST(Products, PlansStayExactAndWithinTheirBound) {
  const Filter real{.kernels = {unsharp(2)}};
  const Plan passes = make_plan(real, {}, {}, Role::colour);
  EXPECT_EQ(passes.terms.size(), 2U);
  EXPECT_EQ(passes.kernels(), 1);
  EXPECT_EQ(passes.arith, Arith::int32);
  EXPECT_LE(passes.error_bound, 0.5);

  // A box of 15x15 taken from its centre: exact in two passes and one tap.
  std::vector<double> taps(225, -1.0 / 225);
  taps[112] += 2;
  const Plan exact =
      make_plan({.kernels = {Kernel(15, 15, taps)}}, {Storage::u8, 8, 0}, {}, Role::colour);
  EXPECT_TRUE(exact.exact);
  ASSERT_EQ(exact.terms.size(), 2U);
  EXPECT_TRUE(exact.terms[0].dense.empty());
  EXPECT_EQ(exact.terms[1].dense, std::vector<double>{450});
  EXPECT_EQ(exact.error_bound, 0);
}

}  // namespace
}  // namespace vidconv
