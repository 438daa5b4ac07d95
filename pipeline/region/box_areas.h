// Weights of boxes: as small as they go, because there are others in each frame.
#pragma once

#include <span>
#include <vector>

#include "kernels/picture/weights.h"
#include "pipeline/region/boxes.h"

namespace vidconv {

// Parts of the picture that hold all of the boxes and what their feather reaches, none of them
// touching another; each begins at multiples of 8.
std::vector<Rect> areas_of(std::span<const PlacedBox> boxes, int feather, int width, int height);

// Of the pixels of one of these.
Weights weights_of(std::span<const PlacedBox> boxes, const Rect& area, int feather, int width,
                   int height);

}  // namespace vidconv
