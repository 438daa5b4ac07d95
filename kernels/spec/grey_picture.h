// Reads grey pictures from PNG and PGM files.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace vidconv {

struct GreyPicture {
  int width = 0, height = 0;
  int max = 255;                      // the level of white
  std::vector<std::uint16_t> levels;  // row by row, from the top; as stored: no gamma is applied
};

struct GreyLimits {
  int side = 0;             // largest width and height
  std::int64_t pixels = 0;  // most pixels in all
};

// Whether the bytes are those of a PNG or PGM picture.
bool is_grey_picture(std::string_view bytes);

// Throws std::runtime_error for a picture that is damaged, too large, not grey or not opaque.
GreyPicture read_grey_picture(std::string_view bytes, const GreyLimits& limits);

}  // namespace vidconv
