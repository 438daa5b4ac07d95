// Orientation: how a picture is shown that is stored turned or mirrored, as phones do.
#pragma once

#include "kernels/filter/kernel.h"
#include "kernels/picture/blocks.h"

namespace vidconv {

// What lies at (x, y) is seen at (a x + c y, b x + d y), but for a shift. Each of them is -1, 0
// or 1.
struct Orientation {
  int a = 1, b = 0, c = 0, d = 1;
  bool is_upright() const { return *this == Orientation{}; }
  // Whether rows are seen as columns.
  bool swaps() const { return a == 0; }
  bool operator==(const Orientation&) const = default;
};

// The kernel of the stored picture that does to what is seen what `kernel` does, with its anchor.
Kernel stored_kernel(const Kernel& kernel, const Orientation& shown);
// Blocks of the stored picture for those of what is seen, which are counted from its top left.
Blocks stored_blocks(const Blocks& blocks, const Orientation& shown);

}  // namespace vidconv
