// Pictures with interleaved components.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/picture/plane.h"

namespace vidconv::test {

// Rows of pixels in memory that begins with the first component of the first pixel and ends with
// the last of the last one, so that sanitizers see reads and writes beyond. The seed says how large
// the gaps between rows are; for one in four, rows begin at multiples of 16 bytes.
class PackedPixels {
 public:
  PackedPixels(const SampleType& sample, int step, std::vector<int> places, int width, int height,
               unsigned seed);

  BytePlane plane(std::size_t k) { return plane_at(k, bytes_.data()); }
  // Returns the plane in a copy of bytes().
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

// Return all places of a pixel, or some of them, in an order that the seed says.
std::vector<int> all_places(int step, unsigned seed);
std::vector<int> some_places(int step, unsigned seed);

std::vector<PlanePair> packed_pairs(PackedPixels& from, PackedPixels& to, std::size_t count);

}  // namespace vidconv::test
