#include "pipeline/region/box_areas.h"

#include <algorithm>

#include "kernels/picture/rects.h"

namespace vidconv {
namespace {

constexpr int grid = 8;  // pixels; whole samples of every plane and field begin there

Rect on_grid(const Rect& r, int width, int height) {
  const auto down = [](int n) { return n / grid * grid; };
  const auto up = [](int n) { return (n + grid - 1) / grid * grid; };
  return cut(rect_between(down(r.x), down(r.y), up(r.right()), up(r.bottom())), width, height);
}

// Paints the pixels whose middle is in the ellipse inscribed in `box`. `area`: the pixels of
// `weights`.
void paint_ellipse(Weights& weights, const Rect& area, const Rect& box, const Rect& visible) {
  const double rx = box.width, ry = box.height;
  for (int y = visible.y; y < visible.bottom(); ++y) {
    const double dy = (2.0 * y + 1 - box.y - box.bottom()) / ry;
    std::uint8_t* row = weights.row(y - area.y);
    for (int x = visible.x; x < visible.right(); ++x) {
      const double dx = (2.0 * x + 1 - box.x - box.right()) / rx;
      if (dx * dx + dy * dy <= 1) row[x - area.x] = 255;
    }
  }
}

}  // namespace

std::vector<Rect> areas_of(std::span<const PlacedBox> boxes, int feather, int width, int height) {
  std::vector<Rect> areas;
  for (const PlacedBox& box : boxes) {
    const Rect visible = cut(box.rect, width, height);
    if (visible.empty()) continue;
    areas.push_back(on_grid(cut(grown(visible, feather), width, height), width, height));
  }
  join(areas, 0, true);
  return areas;
}

Weights weights_of(std::span<const PlacedBox> boxes, const Rect& area, int feather, int width,
                   int height) {
  Weights weights(area.width, area.height);
  for (const PlacedBox& box : boxes) {
    const Rect visible = cut(box.rect, width, height);
    if (visible.empty() || !overlap(visible, area)) continue;
    if (box.ellipse)
      paint_ellipse(weights, area, box.rect, visible);
    else
      weights.fill({visible.x - area.x, visible.y - area.y, visible.width, visible.height}, 255);
  }
  weights.feather(feather);
  return weights;
}

}  // namespace vidconv
