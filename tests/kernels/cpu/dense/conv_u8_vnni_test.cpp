// Dot products of bytes: the definition where sums are clamped, in 32 bits and in 16.
#include <gtest/gtest.h>

#include "kernels/cpu/dense/conv_u8_vnni_plan.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/wherever_taken.h"

namespace vidconv::test {
namespace {

Plan plan_of(const char* spec, Codes range = Codes::all) {
  return make_plan(FilterSpec::parse(spec).make(), {Storage::u8, 8, 0}, {}, Role::colour, range);
}

class Bytes : public WhereverTaken {
 protected:
  static void check(const Plan& plan, int width, int height, int step) {
    WhereverTaken::check(*find_variant("cpu-conv-u8-vnni"), make_bytes_plan(plan).has_value(), plan,
                         width, height, step);
  }
};

TEST_F(Bytes, SumsThatAreClamped) {
  for (const char* spec :
       {"sharpen", "matrix:-1 -1 -1;-1 9 -1;-1 -1 -1", "matrix:1 2 3;4 5 6;7 8 -10:bias=-0.5",
        // The largest sums and the least that 16 bits hold, and some beyond.
        "matrix:100 1 1;1 20 1;1 1 2", "matrix:100 1 1;1 22 1;1 1 2",
        "matrix:-100 -1 -1;-1 -20 -1;-1 -1 -2:bias=1",
        "matrix:-100 -1 -1;-1 -22 -1;-1 -1 -2:bias=1", "matrix:9 -1 -1;-1 -7 -1;-1 5 -1:abs=1"})
    for (const Codes range : {Codes::all, Codes::limited})
      for (int size = 1; size <= 40 && !IsSkipped(); ++size) {
        SCOPED_TRACE(spec);
        check(plan_of(spec, range), size, 41 - size, 1 + size % 3);
      }
}

TEST_F(Bytes, RowsAreReadWhereTheyLie) {
  for (const char* spec : {"sharpen", "matrix:100 1 1;1 22 1;1 1 2"})
    for (const int width : {4100, 4223})
      if (!IsSkipped()) check(plan_of(spec), width, 11, 1);
}

TEST(ConvU8VnniPlan, ClampsIn16BitsWhatTheyHold) {
  const auto clamps16 = [](const char* spec) { return make_bytes_plan(plan_of(spec))->clamps16; };
  EXPECT_TRUE(clamps16("sharpen"));
  EXPECT_TRUE(clamps16("matrix:100 1 1;1 20 1;1 1 2"));
  EXPECT_FALSE(clamps16("matrix:100 1 1;1 22 1;1 1 2")) << "sums of 33,150";
  EXPECT_TRUE(clamps16("matrix:-100 -1 -1;-1 -20 -1;-1 -1 -2"));
  EXPECT_FALSE(clamps16("matrix:-100 -1 -1;-1 -22 -1;-1 -1 -2"));
  EXPECT_FALSE(clamps16("sharpen:abs=1"));
  EXPECT_FALSE(clamps16("matrix:1 2 3;4 5 6;7 8 11:scale=auto")) << "never clamped";
}

}  // namespace
}  // namespace vidconv::test
