// A kernel that is turned for a stored picture does to what is seen what was asked for.
#include "kernels/filter/orientation.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/filter/turn.h"
#include "kernels/spec/parse.h"

namespace vidconv {
namespace {

constexpr int side = 15;
using Picture = std::array<std::array<double, side>, side>;

// Returns all eight orientations.
std::vector<Orientation> orientations() {
  std::vector<Orientation> all;
  for (const int p : {1, -1})
    for (const int q : {1, -1}) {
      all.push_back({p, 0, 0, q});
      all.push_back({0, p, q, 0});
    }
  return all;
}

// Returns the stored picture as it is shown.
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

// Filters a picture with zeros around it.
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
  // Chroma that is halved across is halved down in the shown picture.
  const FilterSpec box = FilterSpec::parse("box:size=9").of_stored(quarter);
  const FilterSpec plain = FilterSpec::parse("box:size=9");
  EXPECT_EQ(box.make({2, 1}).kernels[0], plain.make({2, 1}).kernels[0]);
}

template <class T>
void expect_turned(int width, int height, int step) {
  const auto at = [&](int x, int y, int wide) {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(wide) +
            static_cast<std::size_t>(x)) *
           static_cast<std::size_t>(step);
  };
  std::vector<T> stored(at(0, height, width));
  for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = static_cast<T>(i * 7 + 1);
  for (const Orientation& o : orientations()) {
    const int seen_width = o.swaps() ? height : width, seen_height = o.swaps() ? width : height;
    std::vector<T> result(stored.size());
    const auto plane = [&](auto* data, int wide, int high) {
      return Plane<std::remove_pointer_t<decltype(data)>>{
          .data = data,
          .stride = static_cast<std::ptrdiff_t>(at(0, 1, wide) * sizeof(T)),
          .width = wide,
          .height = high,
          .step = step};
    };
    turn(plane(std::as_const(stored).data(), width, height).template as<const std::byte>(),
         plane(result.data(), seen_width, seen_height).template as<std::byte>(), o, sizeof(T));
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const int to_x = o.a * x + o.c * y + (o.a + o.c < 0 ? seen_width - 1 : 0);
        const int to_y = o.b * x + o.d * y + (o.b + o.d < 0 ? seen_height - 1 : 0);
        ASSERT_EQ(result[at(to_x, to_y, seen_width)], stored[at(x, y, width)])
            << width << "x" << height << " " << o.a << o.b << o.c << o.d;
      }
  }
}

TEST(Turn, PutsEachSampleWhereItIsSeen) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 7}, {5, 1}, {33, 65}, {64, 31}}) {
    expect_turned<std::uint8_t>(width, height, 1);
    expect_turned<std::uint8_t>(width, height, 3);
    expect_turned<std::uint16_t>(width, height, 2);
    expect_turned<float>(width, height, 1);
  }
}

}  // namespace
}  // namespace vidconv
