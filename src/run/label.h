// Draws text on pictures in a built-in font of 5x9 pixels, two of them below the baseline, so that
// no font has to be installed.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/picture/plane.h"

namespace vidconv {

// Advance from one letter to the next, and height of a line, in pixels at scale 1.
inline constexpr int letter_width = 6, letter_height = 9;

// Draws into packed samples, `channels` for each pixel (plane.step is 1, plane.width counts
// samples), from pixel (x, y) on. Each dot is scale x scale pixels of the value `ink`. Text that
// does not fit is cut off.
void draw_label(const Plane<std::uint8_t>& plane, int channels, int x, int y, int scale,
                std::uint8_t ink, std::string_view text);

}  // namespace vidconv
