// Between rows of pixels, in which components lie side by side, and lines of one component each.
#pragma once

#include <cstddef>

#include "kernels/convolver/packed.h"

namespace vidconv {

// Copies the samples of `width` pixels of the row at `from` to a line for each component of the
// layout, without anything between them; not where that is nullptr. Reads nothing before the first
// component of the first pixel, nor after the last one of the last.
void split_row(const PixelLayout& layout, const std::byte* from, int width,
               std::byte* const* lines);

// The other way. What lies in between gets what `others` has there, a row of the same layout: `to`
// itself, or the row that the lines were made of. Where a line is nullptr its component does too.
// Nothing is written before the first component of the first pixel, nor after the last of the last.
void join_row(const PixelLayout& layout, const std::byte* const* lines, const std::byte* others,
              int width, std::byte* to);

}  // namespace vidconv
