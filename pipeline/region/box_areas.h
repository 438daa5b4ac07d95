// Computes the weights of boxes only around them, because each frame has others.
#pragma once

#include <span>
#include <vector>

#include "kernels/picture/weights.h"
#include "pipeline/region/boxes.h"

namespace vidconv {

// Returns areas of the picture that hold all boxes and what their feather reaches. No two touch;
// each begins at multiples of 8.
std::vector<Rect> areas_of(std::span<const PlacedBox> boxes, int feather, int width, int height);

// Returns the weights of the pixels of one of these areas.
Weights weights_of(std::span<const PlacedBox> boxes, const Rect& area, int feather, int width,
                   int height);

}  // namespace vidconv
