// Matrices of 5x5 and 7x7 over 16-bit codes by multiply-adds of pairs: the last step, and the bytes
// of the definition at the limits of 32 bits and of codes.
#include <gtest/gtest.h>

#include "kernels/cpu/dense/conv_int16_plan.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/wherever_taken.h"

namespace vidconv::test {
namespace {

class Int16 : public WhereverTaken {
 protected:
  static void check(const Plan& plan, int width, int height, int step) {
    WhereverTaken::check(*find_variant("cpu-conv-int16"), make_int16_plan(plan).has_value(), plan,
                         width, height, step);
  }
};

constexpr const char* blur5 = "matrix:1 2 3 2 1;2 4 6 4 2;3 6 9 6 4;2 4 6 5 2;1 2 3 2 1:scale=1/64";
constexpr const char* both_signs5 =
    "matrix:-1 2 3 -2 1;2 4 -6 4 2;3 -6 9 6 4;2 4 6 -5 2;1 -2 3 2 1:scale=1/16:bias=0.2";
constexpr const char* third5 =
    "matrix:1 2 3 2 1;2 4 6 4 2;3 6 9 6 4;2 4 6 5 2;1 2 3 2 1:scale=1/81";
constexpr const char* any7 =
    "matrix:1 2 3 -4 3 2 1;2 5 6 7 6 5 2;3 6 9 12 9 6 4;4 -7 8 16 8 7 4;3 6 9 11 9 6 3;2 5 6 7 6 5 "
    "2;1 2 3 4 3 2 -9:scale=1/256";

TEST_F(Int16, AreTheMatrices) {
  for (const SampleType& sample : {tens, high_tens, twelves, sixteens})
    for (const char* spec : {blur5, both_signs5, third5, any7})
      for (int size = 1; size <= 40 && !HasFailure(); ++size) {
        SCOPED_TRACE(spec);
        check(plan_from(spec, sample), size, 41 - size, 1 + size % 3);
      }
}

TEST_F(Int16, ClampsWhatIsWanted) {
  for (const SampleType& sample : {tens, twelves, sixteens})
    for (const Codes range : {Codes::all, Codes::limited})
      for (const char* spec : {blur5, both_signs5, third5, any7})
        for (const int size : {33, 129, 300})
          if (!HasFailure()) check(plan_from(spec, sample, {}, range), size, 12, 1);
}

TEST(ConvInt16Plan, ShiftsWhereThatDividesAndFits) {
  const auto shifts = [](const char* spec, SampleType sample) {
    const auto plan = make_int16_plan(plan_from(spec, sample));
    EXPECT_TRUE(plan) << spec;
    return plan && plan->shifts;
  };
  EXPECT_TRUE(shifts(blur5, tens));
  EXPECT_TRUE(shifts(blur5, sixteens));
  EXPECT_TRUE(shifts(any7, sixteens));
  EXPECT_FALSE(shifts(third5, sixteens));
  EXPECT_FALSE(shifts(blur5, eights)) << "bytes have a last step of their own";
  EXPECT_FALSE(shifts("sobel", sixteens)) << "two kernels";
  EXPECT_FALSE(shifts("gaussian:sigma=1.5", tens)) << "two passes";
  EXPECT_FALSE(shifts("matrix:9 7 5;3 1 15;17 4 32000:scale=1/16384", sixteens)) << "2^31";
}

}  // namespace
}  // namespace vidconv::test
