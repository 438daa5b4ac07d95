#include "kernels/filter/volume.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace vidconv {

Kernel volume_of(int width, int rows, std::vector<double> taps) {
  const int height = static_cast<int>(taps.size()) / width;
  return {width, height, std::move(taps), width / 2, height / rows / 2 * rows + rows / 2};
}

Kernel anchored_volume(const Kernel& volume, int rows, int x, int y, int frame) {
  const int frames = volume.height() / rows;
  if (x >= volume.width() || y >= rows || frame >= frames)
    throw std::invalid_argument(
        fmt::format("the anchor ({}, {}, {}) is outside a volume of {}x{}x{}", x, y, frame,
                    volume.width(), rows, frames));
  return volume.with_anchor(x, frame * rows + y);
}

Kernel stored_volume(const Kernel& volume, int rows, const Orientation& shown) {
  const int of_plane = volume.width() * rows, anchor_row = volume.anchor_y() % rows;
  std::vector<double> taps;
  for (auto from = volume.taps().begin(); from != volume.taps().end(); from += of_plane) {
    const Kernel plane = stored_kernel(
        {volume.width(), rows, {from, from + of_plane}, volume.anchor_x(), anchor_row}, shown);
    std::ranges::copy(plane.taps(), std::back_inserter(taps));
    if (taps.size() < volume.taps().size()) continue;
    const int frame = volume.anchor_y() / rows,
              height = static_cast<int>(taps.size()) / plane.width();
    return {plane.width(), height, std::move(taps), plane.anchor_x(),
            frame * plane.height() + plane.anchor_y()};
  }
  return volume;
}

}  // namespace vidconv
