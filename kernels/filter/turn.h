// turn(): makes the shown plane from one that is stored turned or mirrored.
#pragma once

#include "kernels/filter/orientation.h"
#include "kernels/picture/plane.h"

namespace vidconv {

// Writes every sample of `from` to where it is shown. `to` has the same width and height, or
// swapped ones where `shown` swaps; the two do not overlap. Samples have 1, 2 or 4 `bytes`.
void turn(ConstBytePlane from, BytePlane to, const Orientation& shown, int bytes);

}  // namespace vidconv
