// Translates the names of the pipeline's settings into those of the command line's options.
#pragma once

#include <string>
#include <string_view>

namespace vidconv {

// Replaces settings in backticks ("choose another `codec`") by options ("choose another --codec").
// Text that passed verbatim() (pipeline/base/printable.h) is restored; words in backticks that are
// no settings stay as they are.
std::string with_option_names(std::string_view text);

}  // namespace vidconv
