#include "kernels/filter/turn.h"

#include <algorithm>
#include <cstring>

namespace vidconv {
namespace {

// Rows that are read as columns stay in a cache for as long as a square of this side is written.
constexpr int tile = 32;

template <class T>
void turn_samples(const ConstBytePlane& from, const BytePlane& to, const Orientation& shown) {
  const std::ptrdiff_t column = std::ptrdiff_t{from.step} * std::ptrdiff_t{sizeof(T)};
  // Steps from one shown sample to its neighbours at the right and below, in bytes of the stored
  // plane.
  const std::ptrdiff_t right = shown.a * column + shown.c * from.stride;
  const std::ptrdiff_t down = shown.b * column + shown.d * from.stride;
  const int first_x = shown.a + shown.b < 0 ? from.width - 1 : 0;
  const int first_y = shown.c + shown.d < 0 ? from.height - 1 : 0;
  const std::byte* const first = from.row(first_y) + first_x * column;
  for (int top = 0; top < to.height; top += tile)
    for (int left = 0; left < to.width; left += tile)
      for (int y = top; y < std::min(top + tile, to.height); ++y) {
        const std::byte* read = first + y * down + left * right;
        std::byte* write = to.row(y) + std::ptrdiff_t{left} * to.step * std::ptrdiff_t{sizeof(T)};
        for (int x = left; x < std::min(left + tile, to.width); ++x) {
          std::memcpy(write, read, sizeof(T));
          read += right;
          write += to.step * std::ptrdiff_t{sizeof(T)};
        }
      }
}

}  // namespace

void turn(ConstBytePlane from, BytePlane to, const Orientation& shown, int bytes) {
  if (bytes == 1)
    turn_samples<char>(from, to, shown);
  else if (bytes == 2)
    turn_samples<short>(from, to, shown);
  else
    turn_samples<int>(from, to, shown);
}

}  // namespace vidconv
