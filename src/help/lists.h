// Prints lists on stdout instead of running anything: --help, --list-kernels and their kin.
#pragma once

#include <string>

#include "src/options/options.h"

namespace vidconv {

// `which` is the filter of List::help_of_filter. Throws Error(output) if stdout cannot be written.
void print_list(List list, const std::string& which);

}  // namespace vidconv
