#include "kernels/filter/orientation.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace vidconv {

Kernel stored_kernel(const Kernel& kernel, const Orientation& shown) {
  // These turn offsets in the shown picture into stored ones: the inverse, which is the transpose.
  const auto to_x = [&](int x, int y) { return shown.a * x + shown.b * y; };
  const auto to_y = [&](int x, int y) { return shown.c * x + shown.d * y; };
  const int left = -kernel.anchor_x(), right = left + kernel.width() - 1;
  const int top = -kernel.anchor_y(), bottom = top + kernel.height() - 1;
  const int x0 = std::min(to_x(left, top), to_x(right, bottom));
  const int y0 = std::min(to_y(left, top), to_y(right, bottom));
  const int width = shown.swaps() ? kernel.height() : kernel.width();
  const int height = shown.swaps() ? kernel.width() : kernel.height();
  if (kernel.is_product()) {
    const auto turned = [](std::span<const double> pass, int direction) {
      return direction > 0 ? std::vector<double>(pass.begin(), pass.end())
                           : std::vector<double>(pass.rbegin(), pass.rend());
    };
    const Kernel stored =
        shown.swaps()
            ? Kernel::product(turned(kernel.row(), shown.c), turned(kernel.column(), shown.b))
            : Kernel::product(turned(kernel.column(), shown.d), turned(kernel.row(), shown.a));
    return stored.with_anchor(-x0, -y0);
  }
  std::vector<double> taps(kernel.taps().size());
  for (int j = 0; j < kernel.height(); ++j)
    for (int i = 0; i < kernel.width(); ++i) {
      const int x = to_x(left + i, top + j) - x0, y = to_y(left + i, top + j) - y0;
      taps[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(x)] = kernel.at(i, j);
    }
  return {width, height, std::move(taps), -x0, -y0};
}

Blocks stored_blocks(const Blocks& blocks, const Orientation& shown) {
  // The row of what is stored that is seen from its end, as one or the other axis.
  Blocks stored = blocks;
  if (shown.swaps()) std::swap(stored.across, stored.down);
  stored.across.from_end = (shown.swaps() ? shown.b : shown.a) < 0;
  stored.down.from_end = (shown.swaps() ? shown.c : shown.d) < 0;
  return stored;
}

}  // namespace vidconv
