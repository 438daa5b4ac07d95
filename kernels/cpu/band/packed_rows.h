// Converts between rows of interleaved components and lines of one component each.
#pragma once

#include <cstddef>

#include "kernels/convolver/packed.h"

namespace vidconv {

// Copies the samples of `width` pixels of the row at `from` to a line for each component of the
// layout, without gaps; skips components whose line is nullptr. Does not read before the first
// component of the first pixel, nor after the last one of the last.
void split_row(const PixelLayout& layout, const std::byte* from, int width,
               std::byte* const* lines);

// Copies lines to the row at `to`. The samples in between are copied from `others`, a row of the
// same layout: `to` itself, or the row that the lines were made of. So are components whose line is
// nullptr. Does not write before the first component of the first pixel, nor after the last one of
// the last.
void join_row(const PixelLayout& layout, const std::byte* const* lines, const std::byte* others,
              int width, std::byte* to);

}  // namespace vidconv
