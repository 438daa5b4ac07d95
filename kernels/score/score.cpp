#include "kernels/score/score.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/score/strip.h"

namespace vidconv {
namespace {

// The rows of a plane as codes without gaps: where they lie, or copied.
template <class T>
class CodeRows {
 public:
  CodeRows(const ConstBytePlane& plane, const SampleType& type)
      : plane_(plane),
        type_(type),
        lies_so_(plane.step == 1 && type.shift == 0 && type.bytes() == sizeof(T)) {
    for (std::vector<T>& row : copies_)
      if (!lies_so_) row.resize(static_cast<std::size_t>(plane.width));
  }

  // Returns a row of codes without gaps, valid until the fourth call from this one.
  const T* row(int y) {
    if (lies_so_) return reinterpret_cast<const T*>(plane_.row(y));
    std::vector<T>& copy = copies_[static_cast<std::size_t>(y % 4)];
    if (type_.storage == Storage::u8)
      gather(plane_.as<const std::uint8_t>().row(y), copy);
    else
      gather(plane_.as<const std::uint16_t>().row(y), copy);
    return copy.data();
  }

 private:
  template <class S>
  void gather(const S* from, std::vector<T>& to) const {
    // Chroma comes in pairs, and compilers vectorise a step that they know.
    if (plane_.step == 2)
      gather(from, 2, to);
    else
      gather(from, plane_.step, to);
  }
  template <class S>
  void gather(const S* from, std::ptrdiff_t step, std::vector<T>& to) const {
    T* const end = to.data() + to.size();
    for (T* code = to.data(); code != end; ++code, from += step)
      *code = static_cast<T>(*from >> type_.shift);
  }

  const ConstBytePlane plane_;
  const SampleType type_;
  const bool lies_so_;
  std::array<std::vector<T>, 4> copies_;
};

// The sums of a row of blocks.
class SumsRow {
 public:
  explicit SumsRow(int blocks) {
    for (std::vector<double>& sums : sums_) sums.resize(static_cast<std::size_t>(blocks));
  }
  BlockSums view() { return {sums_[0].data(), sums_[1].data(), sums_[2].data(), sums_[3].data()}; }

 private:
  std::array<std::vector<double>, 4> sums_;
};

template <class T>
void sum_one_block(const Strip<T>& strip, int block, const BlockSums& to) {
  std::int64_t a = 0, b = 0, squares = 0, products = 0;
  for (int row = 0; row < 4; ++row)
    for (int x = 4 * block; x < 4 * block + 4; ++x) {
      const std::int64_t p = strip.a[row][x], q = strip.b[row][x];
      a += p;
      b += q;
      squares += p * p + q * q;
      products += p * q;
    }
  to.a[block] = static_cast<double>(a);
  to.b[block] = static_cast<double>(b);
  to.squares[block] = static_cast<double>(squares);
  to.products[block] = static_cast<double>(products);
}

// Returns the squared error of the columns from `begin` on.
template <class T>
double squared_error(const T* a, const T* b, int begin, int end) {
  std::int64_t sum = 0;
  for (int x = begin; x < end; ++x) {
    const std::int64_t d = std::int64_t{a[x]} - b[x];
    sum += d * d;
  }
  return static_cast<double>(sum);
}

// Returns the squared error of blocks from their sums. These are integers, so any order gives the
// same result; this one does not wait for each addition.
double squared_error(const BlockSums& sums, int blocks) {
  std::array<double, 8> parts{};
  int i = 0;
  for (; i + 8 <= blocks; i += 8)
    for (int k = 0; k < 8; ++k)
      parts[static_cast<std::size_t>(k)] += sums.squares[i + k] - 2 * sums.products[i + k];
  double sum = 0;
  for (const double part : parts) sum += part;
  for (; i < blocks; ++i) sum += sums.squares[i] - 2 * sums.products[i];
  return sum;
}

// Adds up in an order that does not depend on the vectors' size.
double sum_of(const std::vector<double>& terms) {
  std::array<double, 8> parts{};
  std::size_t i = 0;
  for (; i + parts.size() <= terms.size(); i += parts.size())
    for (std::size_t k = 0; k < parts.size(); ++k) parts[k] += terms[i + k];
  double sum = 0;
  for (const double part : parts) sum += part;
  for (; i < terms.size(); ++i) sum += terms[i];
  return sum;
}

SsimConstants constants_of(double max) {
  return {std::floor(.01 * .01 * max * max * 64 + .5),
          std::floor(.03 * .03 * max * max * 64 * 63 + .5)};
}

template <class T>
PlaneScore score(CodeRows<T> a, CodeRows<T> b, int width, int height, int depth) {
  constexpr int summed_by_vectors = 12;  // bits, see sum_blocks()
  const int blocks = width / 4, windows = blocks - 1;
  const SsimConstants constants = constants_of((1 << depth) - 1);
  SumsRow first(blocks), second(blocks);
  BlockSums above = first.view(), sums = second.view();
  std::vector<double> row_scores(static_cast<std::size_t>(std::max(0, windows)));
  PlaneScore result;
  result.samples = std::int64_t{width} * height;
  double ssim = 0;
  int y = 0;
  for (; y + 4 <= height; y += 4) {
    Strip<T> strip;
    for (int row = 0; row < 4; ++row) {
      strip.a[row] = a.row(y + row);
      strip.b[row] = b.row(y + row);
      result.squared_error += squared_error(strip.a[row], strip.b[row], 4 * blocks, width);
    }
    int block = depth <= summed_by_vectors ? sum_blocks(strip, blocks, sums) : 0;
    for (; block < blocks; ++block) sum_one_block(strip, block, sums);
    result.squared_error += squared_error(sums, blocks);
    if (y > 0 && windows > 0) {
      score_windows(above, sums, windows, constants, row_scores.data());
      ssim += sum_of(row_scores);
    }
    std::swap(above, sums);
  }
  const int block_rows = y / 4;
  for (; y < height; ++y) result.squared_error += squared_error(a.row(y), b.row(y), 0, width);
  if (windows > 0 && block_rows > 1)
    result.ssim = ssim / (static_cast<double>(windows) * (block_rows - 1));
  return result;
}

}  // namespace

PlaneScore score_planes(const ConstBytePlane& a, const SampleType& a_type, const ConstBytePlane& b,
                        const SampleType& b_type) {
  if (a_type.bytes() == 1 && b_type.bytes() == 1)
    return score(CodeRows<std::uint8_t>(a, a_type), CodeRows<std::uint8_t>(b, b_type), a.width,
                 a.height, a_type.depth);
  return score(CodeRows<std::uint16_t>(a, a_type), CodeRows<std::uint16_t>(b, b_type), a.width,
               a.height, a_type.depth);
}

double psnr_of(double mse, double max) {
  return mse > 0 ? 10 * std::log10(max * max / mse) : std::numeric_limits<double>::infinity();
}

}  // namespace vidconv
