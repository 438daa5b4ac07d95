// Test pictures: one component in memory of its own, with other bytes around every sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/picture/plane.h"

namespace vidconv::test {

// How a component lies in memory.
struct Arrangement {
  int step = 1;         // samples from one pixel to the next
  int component = 0;    // number of the sample in a pixel, below step
  int row_padding = 5;  // samples between rows; odd, so that rows are not aligned
  bool bottom_up = false;
  int guard = 67;  // samples before the first row and after the last; odd for the same reason
};

// The content of a picture. black_and_white is noise of the smallest and the largest code alone,
// which takes sums to their limits.
enum class Content : std::uint8_t { zeros, full, checkerboard, black_and_white, noise };

class Picture {
 public:
  // All bytes, also those that are no part of the component, are noise of `seed`.
  Picture(SampleType sample, int width, int height, Arrangement arrangement, unsigned seed);

  void draw(Content content, unsigned seed);
  // Sets sample (x, y) to a code; float samples to the value itself.
  void set(int x, int y, double code);
  double get(int x, int y) const;

  int width() const { return plane_.width; }
  int height() const { return plane_.height; }
  SampleType sample() const { return sample_; }

  // Return the whole allocation, and in it the component (with its data pointer).
  std::vector<std::byte>& bytes() { return bytes_; }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::ptrdiff_t origin() const { return origin_; }  // offset of sample (0, 0), in bytes
  BytePlane plane();
  ConstBytePlane plane() const;

 private:
  std::byte* at(int x, int y);

  SampleType sample_;
  BytePlane plane_;  // without data
  std::ptrdiff_t origin_ = 0;
  std::vector<std::byte> bytes_;
};

// Returns true for the bytes of the allocation that belong to a sample of the component.
std::vector<bool> sample_bytes(const Picture& picture);

}  // namespace vidconv::test
