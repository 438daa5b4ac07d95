// A plane's numbers are given by name, so that none can be taken for another.
#include "kernels/picture/plane.h"

#include <gtest/gtest.h>

namespace vidconv::test {
namespace {

template <class P, class... Numbers>
constexpr bool takes = requires(Numbers... numbers) {
  P{numbers...};
};
template <class P, class... Numbers>
constexpr bool takes_after_braces = requires(Numbers... numbers) {
  P{{}, numbers...};
};

// All members have a name by which they can be set.
constexpr BytePlane named{.data = nullptr, .stride = 8, .width = 6, .height = 5, .step = 2};

TEST(Plane, TakesNoNumbersByPosition) {
  EXPECT_TRUE((takes<BytePlane>));
  EXPECT_TRUE((takes<BytePlane, BytePlane>));
  EXPECT_FALSE((takes<BytePlane, std::byte*>));
  EXPECT_FALSE((takes<BytePlane, std::byte*, int, int, int>));
  EXPECT_FALSE((takes_after_braces<BytePlane, std::byte*, int, int, int>));
}

TEST(Plane, ElsewhereHasTheSameShape) {
  std::uint16_t samples[1] = {};
  const Plane<std::uint16_t> there = named.at(samples);
  EXPECT_EQ(there.data, samples);
  EXPECT_EQ(there.stride, 8);
  EXPECT_EQ(there.width, 6);
  EXPECT_EQ(there.height, 5);
  EXPECT_EQ(there.step, 2);
}

}  // namespace
}  // namespace vidconv::test
