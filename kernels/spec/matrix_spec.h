// Reads kernels that are written as numbers: "matrix:0 -1 0;-1 5 -1;0 -1 0", "volume:...".
#pragma once

#include <string_view>

#include "kernels/filter/kernel.h"
#include "kernels/spec/spec_text.h"

namespace vidconv {

struct TypedKernel {
  Kernel kernel;
  int plane_rows = 0;  // as OverTime has it
};

// Reads what follows the name of a form: matrix, row, column, time, volume, separable or random.
// Throws SpecError, and std::invalid_argument where numbers make no kernel.
TypedKernel read_typed_kernel(Cursor& c, std::string_view form);

}  // namespace vidconv
