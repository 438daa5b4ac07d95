// Pictures of noise in any pixel format, and what FFmpeg reads in bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/av/av.h"

namespace vidconv::test {

// Samples of one component, row by row: codes, or the bits of a float.
struct Samples {
  int width = 0, height = 0;
  std::vector<std::uint32_t> values;
  // Mirrored beyond the edges, which are not repeated.
  std::uint32_t at(int x, int y) const;
};

// As FFmpeg understands the bytes of a picture; in the order of its descriptor.
std::vector<Samples> read_samples(AVPixelFormat id, int width, int height,
                                  const std::string& bytes);

// Valid codes everywhere; floats from -1 to 2.
std::string noise(AVPixelFormat id, int width, int height, unsigned seed);

}  // namespace vidconv::test
