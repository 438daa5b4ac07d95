// What is printed on stdout instead of running anything: --help, --list-kernels and their kin.
#pragma once

#include "src/options/options.h"

namespace vidconv {

// Throws Error(output) where it cannot be printed.
void print_list(List list);

}  // namespace vidconv
