// Orientation: how a picture that is stored turned or mirrored, as phones do, is shown.
#pragma once

#include "kernels/filter/kernel.h"
#include "kernels/picture/blocks.h"

namespace vidconv {

// A stored sample (x, y) is shown at (a x + c y, b x + d y), but for a shift. Each coefficient is
// -1, 0 or 1.
struct Orientation {
  int a = 1, b = 0, c = 0, d = 1;
  bool is_upright() const { return *this == Orientation{}; }
  // Whether rows are shown as columns.
  bool swaps() const { return a == 0; }
  bool operator==(const Orientation&) const = default;
};

// Returns the kernel that, applied to the stored picture, does to the shown one what `kernel` does;
// its anchor moves along.
Kernel stored_kernel(const Kernel& kernel, const Orientation& shown);
// Returns the blocks of the stored picture; they are counted from the top left of the displayed
// one.
Blocks stored_blocks(const Blocks& blocks, const Orientation& shown);

}  // namespace vidconv
