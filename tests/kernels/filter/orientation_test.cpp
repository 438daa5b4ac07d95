// A kernel that is turned for a stored picture does to what is seen what was asked for.
#include "kernels/filter/orientation.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "kernels/spec/parse.h"

namespace vidconv {
namespace {

constexpr int side = 15;
using Picture = std::array<std::array<double, side>, side>;

// All eight.
std::vector<Orientation> orientations() {
  std::vector<Orientation> all;
  for (const int p : {1, -1})
    for (const int q : {1, -1}) {
      all.push_back({p, 0, 0, q});
      all.push_back({0, p, q, 0});
    }
  return all;
}

// The stored picture as it is seen.
Picture seen(const Picture& stored, const Orientation& o) {
  Picture result{};
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const int cx = x - side / 2, cy = y - side / 2;
      const int to_x = o.a * cx + o.c * cy + side / 2, to_y = o.b * cx + o.d * cy + side / 2;
      result[static_cast<std::size_t>(to_y)][static_cast<std::size_t>(to_x)] =
          stored[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
    }
  return result;
}

// What lies outside is 0.
Picture filtered(const Picture& picture, const Kernel& kernel) {
  Picture result{};
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      for (int j = 0; j < kernel.height(); ++j)
        for (int i = 0; i < kernel.width(); ++i) {
          const int fx = x + i - kernel.anchor_x(), fy = y + j - kernel.anchor_y();
          if (fx >= 0 && fx < side && fy >= 0 && fy < side)
            result[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] +=
                kernel.at(i, j) *
                picture[static_cast<std::size_t>(fy)][static_cast<std::size_t>(fx)];
        }
  return result;
}

TEST(Orientation, KernelsActOnWhatIsSeen) {
  Picture stored{};
  int value = 1;
  for (auto& row : stored)
    for (double& sample : row) sample = value = value * 37 % 251;
  const Kernel kernels[] = {Kernel(3, 2, {1, 2, 3, 4, 5, 6}),
                            Kernel(2, 5, std::vector<double>(10, 2), 0, 4),
                            Kernel(4, 1, {1, -2, 3, -4}, 3, 0)};
  for (const Orientation& o : orientations())
    for (const Kernel& kernel : kernels)
      EXPECT_EQ(seen(filtered(stored, stored_kernel(kernel, o)), o),
                filtered(seen(stored, o), kernel))
          << o.a << o.b << o.c << o.d;
}

TEST(Orientation, OfSpecifications) {
  const Orientation quarter{0, 1, -1, 0};
  const FilterSpec motion = FilterSpec::parse("row:1 2 3:scale=auto").of_stored(quarter);
  EXPECT_TRUE(motion.is_turned());
  EXPECT_EQ(motion.make().kernels[0].width(), 1);
  EXPECT_EQ(motion.make().kernels[0].height(), 3);
  // Chroma that is halved across is halved down in what is seen.
  const FilterSpec box = FilterSpec::parse("box:size=9").of_stored(quarter);
  const FilterSpec plain = FilterSpec::parse("box:size=9");
  EXPECT_EQ(box.make({2, 1}).kernels[0], plain.make({2, 1}).kernels[0]);
}

}  // namespace
}  // namespace vidconv
