// The filter of the C header.
#pragma once

#include <string>
#include <vector>

#include "kernels/spec/parse.h"

struct vidconv_filter {
  vidconv::FilterSpec spec;
  std::vector<std::string> warnings;
};

namespace vidconv {

// Throws ColumnError.
FilterSpec parse_kernel_setting(const std::string& text);

}  // namespace vidconv
