// Volumes: matrices over columns, rows and frames, kept as one matrix whose planes lie one below
// the other (OverTime::plane_rows).
#pragma once

#include <vector>

#include "kernels/filter/kernel.h"
#include "kernels/filter/orientation.h"

namespace vidconv {

// Returns the volume anchored in its middle. `rows`: of each plane.
Kernel volume_of(int width, int rows, std::vector<double> taps);

// Returns the volume with another anchor. Throws std::invalid_argument where it is outside.
Kernel anchored_volume(const Kernel& volume, int rows, int x, int y, int frame);

// Returns the volume whose planes do to the stored picture what these do to the shown one.
Kernel stored_volume(const Kernel& volume, int rows, const Orientation& shown);

}  // namespace vidconv
