// Makes pictures of noise in any pixel format, and reads bytes as FFmpeg does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/av/av.h"

namespace vidconv::test {

// One component's samples, row by row: codes, or the bits of a float.
struct Samples {
  int width = 0, height = 0;
  std::vector<std::uint32_t> values;
  // Returns a sample, mirrored beyond the edges, which are not repeated.
  std::uint32_t at(int x, int y) const;
};

// Returns a picture's samples as FFmpeg understands its bytes, in the order of its descriptor.
std::vector<Samples> read_samples(AVPixelFormat id, int width, int height,
                                  const std::string& bytes);

// Returns a picture of valid codes; floats are from -1 to 2.
std::string noise(AVPixelFormat id, int width, int height, unsigned seed);

}  // namespace vidconv::test
