// Pictures whose components lie side by side.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/picture/plane.h"

namespace vidconv::test {

// Rows of pixels in memory that ends with the last component of the last pixel, and begins with the
// first of the first one: sanitizers see what is read or written beyond. The seed says what lies
// between the rows; of one in four they begin 16 bytes apart, or a multiple of that.
class PackedPixels {
 public:
  PackedPixels(const SampleType& sample, int step, std::vector<int> places, int width, int height,
               unsigned seed);

  BytePlane plane(std::size_t k) { return plane_at(k, bytes_.data()); }
  // The same of a copy of bytes().
  BytePlane plane_at(std::size_t k, std::byte* bytes) const;

  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte>& bytes() { return bytes_; }
  void set_bytes(const std::vector<std::byte>& bytes);

 private:
  int stride() const { return width_ * step_ * sample_.bytes() + gap_; }
  void mend(int x, int y);

  SampleType sample_;
  int step_;
  std::vector<int> places_;
  int width_, height_, gap_, row_;
  std::vector<std::byte> bytes_;
};

// All places of a pixel, and some of them, in any order: the seed says which.
std::vector<int> all_places(int step, unsigned seed);
std::vector<int> some_places(int step, unsigned seed);

std::vector<PlanePair> packed_pairs(PackedPixels& from, PackedPixels& to, std::size_t count);

}  // namespace vidconv::test
