// Command lines as other programs have them: words that are wrong here, and what to type instead.
#pragma once

#include <string>
#include <string_view>

#include "src/options/options.h"

namespace vidconv {

// What an option that is not there was probably meant for; empty where that is not known.
std::string remedy_for_option(std::string_view option);

// Refuses inputs that are no files and look like a part of a filter ("--kernel gaussian sigma=2").
void refuse_parts_as_inputs(const Options& o);

// What to do where no output was named; of several inputs the last may have been meant.
std::string remedy_for_output(const Options& o);

}  // namespace vidconv
