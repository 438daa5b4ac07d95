// Parses the values of the command line's options. All functions throw Error(usage) or, for
// filters, Error(filter_spec).
#pragma once

#include <cstdint>
#include <string>

#include "pipeline/base/error.h"
#include "src/options/options.h"

namespace vidconv {

[[noreturn]] void refuse(const std::string& option, const std::string& value,
                         const std::string& why, const std::string& remedy);

// Parses the filter of an option. Throws Error(filter_spec), which says the column.
FilterSpec parse_kernel(const char* option, const std::string& text, std::int64_t max_pixels);
Error kernel_error(const char* option, const SpecError& error);
ProgressMode parse_progress(const std::string& text);

}  // namespace vidconv
