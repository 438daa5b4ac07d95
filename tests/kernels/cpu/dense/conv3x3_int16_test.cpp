// Matrices of 3x3 in 16 bits: the bytes of the definition at all sizes, up to the largest sums that
// 16 bits hold.
#include <gtest/gtest.h>

#include "kernels/cpu/dense/conv3x3_int16_plan.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/wherever_taken.h"

namespace vidconv::test {
namespace {

bool taken(const char* spec, SampleType sample, Codes range = Codes::all) {
  return make_matrix16_plan(plan_from(spec, sample, {}, range)).has_value();
}

class Matrix16 : public WhereverTaken {
 protected:
  static void check(const Plan& plan, int width, int height, int step) {
    WhereverTaken::check(*find_variant("cpu-conv3x3-int16"), make_matrix16_plan(plan).has_value(),
                         plan, width, height, step);
  }
};

TEST_F(Matrix16, SymmetricOnes) {
  for (const SampleType& sample : {eights, tens, high_tens})
    for (const BorderMode border : {BorderMode::reflect101, BorderMode::constant})
      for (const char* spec :
           {"sharpen", "laplacian", "matrix:1 3 1;4 6 4;1 3 1:scale=auto:bias=0.1",
            "matrix:-1 -2 -1;3 7 3;-1 -2 -1:bias=-0.2"})
        for (int size = 1; size <= 40 && !HasFailure(); ++size) {
          SCOPED_TRACE(spec);
          check(plan_from(spec, sample, {border}), size, 41 - size, 1 + size % 3);
        }
}

TEST_F(Matrix16, Others) {
  for (const SampleType& sample : {tens, high_tens})
    for (const char* spec : {"matrix:1 2 3;4 5 6;7 8 -10:scale=1/32", "emboss",
                             "matrix:-1 2 3;4 -5 6;7 8 -9:scale=1/7:bias=0.3"})
      for (int size = 1; size <= 40 && !HasFailure(); ++size) {
        SCOPED_TRACE(spec);
        check(plan_from(spec, sample), size, 41 - size, 1 + size % 3);
      }
}

// Black and white are drawn where the width is a multiple of 3.
TEST_F(Matrix16, SumsThatJustFit) {
  for (const char* spec :
       {"matrix:0 127 0;1 0 1;0 127 0:scale=1/256", "matrix:0 -127 0;1 1 1;0 -127 0:bias=1",
        "matrix:64 -64 64;0 0 0;64 -64 64", "matrix:0 32 0;32 -127 32;0 32 0:abs=1"})
    for (const int size : {3, 33, 66, 129})
      if (taken(spec, eights) && !HasFailure()) check(plan_from(spec, eights), size, 40, 1);
  for (const char* spec : {"matrix:9 7 5;3 1 15;17 4 3:scale=1/64",
                           "matrix:9 -7 5;-3 1 -15;-17 4 3", "matrix:0 8 0;8 -32 8;0 8 0:abs=1"})
    for (const int size : {3, 33, 66, 129})
      if (!HasFailure()) check(plan_from(spec, tens), size, 40, 1);
}

TEST_F(Matrix16, RowsAreReadWhereTheyLie) {
  for (const SampleType& sample : {eights, tens})
    for (const int width : {2100, 2127, 2160})
      if (!HasFailure()) check(plan_from("sharpen", sample), width, 19, 1);
}

TEST(Conv3x3Plan, IsOfMatricesWhoseSumsFit16Bits) {
  EXPECT_TRUE(taken("sharpen", eights));
  EXPECT_TRUE(taken("sharpen", tens));
  EXPECT_TRUE(taken("sharpen", twelves)) << "sums from -4 to 5 times 4095";
  EXPECT_FALSE(taken("sharpen", sixteens));
  EXPECT_TRUE(taken("matrix:9 7 5;3 1 15;17 4 3:scale=1/64", tens)) << "64 times 1023, and a half";
  EXPECT_FALSE(taken("matrix:9 7 5;3 1 15;17 5 3:scale=1/64", tens));
  EXPECT_TRUE(taken("matrix:1 2 3;4 5 6;7 8 9:scale=1/4096", tens)) << "never as much as white";
  EXPECT_FALSE(taken("matrix:1 2 3;4 5 6;7 8 9:scale=1/64", eights)) << "dot products of bytes";
  EXPECT_TRUE(taken("matrix:0 127 0;1 0 1;0 127 0:scale=1/256", eights));
  EXPECT_FALSE(taken("matrix:0 -128 0;1 1 1;0 -128 0", eights)) << "259 times 255";
  EXPECT_FALSE(taken("matrix:0 1 0;1 200 1;0 1 0:scale=1/204", eights)) << "a tap of 200";
  EXPECT_FALSE(taken("matrix:0 0 0;65 64 65;0 0 0:scale=1/194", eights)) << "a pair of 129";
  EXPECT_FALSE(taken("sharpen", eights, Codes::limited));
  EXPECT_TRUE(taken("matrix:0 1 0;1 -4 1;0 1 0:abs=1", tens));
  EXPECT_TRUE(taken("matrix:0 8 0;8 -32 8;0 8 0:abs=1", tens)) << "sums to 32 times 1023";
  EXPECT_FALSE(taken("matrix:0 8 0;8 -32 8;1 8 0:abs=1", tens)) << "33 times";
  EXPECT_FALSE(taken("sobel", tens)) << "two kernels";
  EXPECT_FALSE(taken("gaussian:sigma=0.7:radius=1", tens)) << "two passes";
  Plan other = plan_from("sharpen", tens);
  other.terms[0].anchor_y = 0;
  EXPECT_FALSE(make_matrix16_plan(other));
}

}  // namespace
}  // namespace vidconv::test
