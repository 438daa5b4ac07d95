#include "kernels/spec/matrix_spec.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/filter/over_time.h"
#include "kernels/filter/volume.h"

namespace vidconv {
namespace {

Kernel read_rows(Cursor& c, std::string_view form) {
  const std::size_t start = c.position();
  MatrixRows rows;
  do rows.read_row(c);
  while (c.accept(';'));
  const int width = rows.width(), height = rows.height();
  if (form != "matrix" && height != 1)
    c.fail(fmt::format("'{}' takes one list of numbers", form), start);
  if (form == "time" && width > max_time_taps)
    c.fail(fmt::format("{} numbers are too many: 'time' takes up to {}", width, max_time_taps),
           start);
  return form == "column" ? Kernel(1, width, rows.take()) : Kernel(width, height, rows.take());
}

TypedKernel read_volume(Cursor& c) {
  VolumeRows rows;
  do {
    const std::size_t start = c.position();
    do rows.read_row(c);
    while (c.accept(';'));
    rows.end_plane(c, start);
  } while (c.accept('|'));
  return {volume_of(rows.width(), rows.plane_rows(), rows.take()), rows.plane_rows()};
}

Kernel read_separable(Cursor& c) {
  MatrixRows across, down;
  across.read_row(c);
  if (!c.accept(';')) c.fail_here("';' and the column after the row");
  down.read_row(c);
  return outer_product(down.take(), across.take());
}

// Returns taps around a quarter of their range, whose absolute values sum to 1: most of the picture
// is left. The generator, and so the kernel, is the same on every machine.
Kernel random_kernel(std::uint32_t seed, int width, int height) {
  std::mt19937 random(seed);
  std::vector<double> taps;
  double sum = 0;
  for (int i = 0; i < width * height; ++i) {
    taps.push_back(static_cast<double>(random()) / 0x1p32 - 0.25);
    sum += std::abs(taps.back());
  }
  return Kernel(width, height, std::move(taps)).scaled(1 / sum);
}

Kernel read_random(Cursor& c) {
  const long seed = c.whole("the seed", 0, std::numeric_limits<std::uint32_t>::max());
  if (!c.accept(',')) c.fail_here("',' and the size after the seed");
  const std::size_t start = c.position();
  int width = static_cast<int>(c.whole("the size", 1, Kernel::max_size)), height = width;
  if (c.peek() == 'x') {
    c.go_to(start);
    std::tie(width, height) = c.size();
  }
  return random_kernel(static_cast<std::uint32_t>(seed), width, height);
}

}  // namespace

TypedKernel read_typed_kernel(Cursor& c, std::string_view form) {
  if (form == "volume") return read_volume(c);
  return {form == "random"      ? read_random(c)
          : form == "separable" ? read_separable(c)
                                : read_rows(c, form)};
}

}  // namespace vidconv
