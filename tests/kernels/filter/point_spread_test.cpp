// A picture of a point, on planes of fewer samples.
#include "kernels/filter/point_spread.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/spec/parse.h"

namespace vidconv {
namespace {

// Equal taps are a box, which has a function of its own for planes of fewer samples.
TEST(PointSpread, ShrinksAsABoxDoes) {
  for (int size : {1, 3, 5, 9, 31})
    for (const Subsampling s : {Subsampling{1, 1}, {2, 1}, {2, 2}, {4, 1}, {1, 2}}) {
      const auto count = static_cast<std::size_t>(size * size);
      const Kernel luma(size, size, std::vector<double>(count, 1.0 / static_cast<double>(count)));
      const Kernel shrunk = on_samples(luma, s).trimmed();
      const Kernel box =
          FilterSpec::parse("box:size=" + std::to_string(size)).make(s).kernels[0].trimmed();
      ASSERT_EQ(shrunk.width(), box.width()) << size << " at " << s.x << "," << s.y;
      ASSERT_EQ(shrunk.height(), box.height());
      EXPECT_EQ(shrunk.anchor_x(), box.anchor_x());
      for (std::size_t i = 0; i < box.taps().size(); ++i)
        EXPECT_NEAR(shrunk.taps()[i], box.taps()[i], 1e-12);
    }
}

TEST(PointSpread, KeepsSumAndCentreOfAnyPicture) {
  const std::vector<double> taps{1, 0, 2, 0, 3, 0, 0, 5, 0, 0, 0, 7};
  for (const Kernel& luma : {Kernel(4, 3, taps), Kernel(3, 4, taps), Kernel(12, 1, taps, 11, 0)})
    for (const Subsampling s : {Subsampling{2, 2}, {4, 1}}) {
      const Kernel shrunk = on_samples(luma, s);
      EXPECT_NEAR(shrunk.sum(), luma.sum(), 1e-12);
      // The first moment, in luma samples from the anchor.
      const auto centre = [](const Kernel& k) {
        double sum = 0;
        for (int j = 0; j < k.height(); ++j)
          for (int i = 0; i < k.width(); ++i) sum += k.at(i, j) * (i - k.anchor_x());
        return sum;
      };
      // A tap that lies in one sample moves into its middle; none moves by a sample.
      EXPECT_NEAR(centre(shrunk) * s.x, centre(luma), luma.sum() * s.x / 2);
    }
}

}  // namespace
}  // namespace vidconv
