// Text on pictures: a font of 5x9 pixels, two of them below the line, so that no font has to be
// installed.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/picture/plane.h"

namespace vidconv {

// Pixels from one letter to the next, and the height of a line, at scale 1.
inline constexpr int letter_width = 6, letter_height = 9;

// Draws into packed samples of `channels` a pixel (plane.step is 1, plane.width counts samples)
// from pixel (x, y) on, each dot scale x scale pixels of the value `ink`. What does not fit is left
// out.
void draw_label(const Plane<std::uint8_t>& plane, int channels, int x, int y, int scale,
                std::uint8_t ink, std::string_view text);

}  // namespace vidconv
