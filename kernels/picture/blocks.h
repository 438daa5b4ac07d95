// The blocks of a mosaic: where they lie in a plane, and what becomes of the samples of one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

#include "kernels/picture/plane.h"
#include "kernels/picture/rect.h"

namespace vidconv {

// Blocks along a row or a column of a plane. They are counted in luma samples, of which each sample
// of the plane stands for `per_sample`; a sample belongs to the block that the first of these lies
// in. So blocks of luma and chroma meet, and of chroma they may differ by a sample.
struct BlockAxis {
  int size = 1;           // of a block, in luma samples
  int per_sample = 1;     // luma samples that a sample stands for
  bool from_end = false;  // the picture is stored turned: its first block is at the end

  // The samples of block `index` among `count` of the plane, of which the last block may have fewer
  // and some may have none.
  VIDCONV_HD constexpr int begin(int index, int count) const {
    return from_end ? count - edge(index + 1, count) : edge(index, count);
  }
  VIDCONV_HD constexpr int end(int index, int count) const {
    return from_end ? count - edge(index, count) : edge(index + 1, count);
  }
  // How many blocks there are in so many samples, at least 1.
  constexpr int blocks(int count) const {
    return static_cast<int>(std::int64_t{count - 1} * per_sample / size) + 1;
  }

  // Widens a stretch of `count` samples until it holds all blocks of its samples whole, and its
  // blocks are the same where they are counted from its own edges.
  constexpr void widen(int& from, int& to, int count) const {
    const int period = size / std::gcd(size, per_sample);
    const auto down = [&](int at) { return at / period * period; };
    const auto up = [&](int at) { return std::min(down(at + period - 1), count); };
    const int first = from_end ? count - up(count - from) : down(from);
    to = from_end ? count - down(count - to) : up(to);
    from = first;
  }

  bool operator==(const BlockAxis&) const = default;

 private:
  // Where block `index` begins, counted from the picture's first one.
  VIDCONV_HD constexpr int edge(int index, int count) const {
    const std::int64_t luma = std::int64_t{index} * size + per_sample - 1;
    const std::int64_t at = luma / per_sample;
    return at < count ? static_cast<int>(at) : count;
  }
};

struct Blocks {
  BlockAxis across, down;

  // Whether a block may have more than one sample.
  constexpr bool any() const {
    return across.size > across.per_sample || down.size > down.per_sample;
  }
  // The rectangle in which all blocks that have samples in `part` are whole, as widen() says.
  constexpr Rect around(const Rect& part, int width, int height) const {
    int left = part.x, right = part.right(), top = part.y, bottom = part.bottom();
    across.widen(left, right, width);
    down.widen(top, bottom, height);
    return rect_between(left, top, right, bottom);
  }

  bool operator==(const Blocks&) const = default;
};

// The mean of `count` codes, to the nearest code, ties upward.
VIDCONV_HD constexpr int mean_code(std::uint64_t sum, std::uint64_t count) {
  return static_cast<int>((2 * sum + count) / (2 * count));
}

// The mean of floats. Their sum is made in double: of each row from left to right, and of the sums
// of rows from top to bottom. All that is no number is one and the same NaN.
VIDCONV_HD constexpr float mean_float(double sum, int count) {
  const auto mean = static_cast<float>(sum / count);
  return mean == mean ? mean : std::bit_cast<float>(0x7fc0'0000U);
}

}  // namespace vidconv
