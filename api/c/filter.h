// The filter of the C header.
#pragma once

#include <string>
#include <vector>

#include "api/c/call.h"
#include "kernels/spec/parse.h"

struct vidconv_filter {
  vidconv::FilterSpec spec;
  std::vector<std::string> warnings;
};

namespace vidconv {

// Throws ColumnError.
FilterSpec parse_kernel_setting(const std::string& text);
ColumnError column_error(const SpecError& error);

}  // namespace vidconv
