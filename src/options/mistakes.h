// Recognizes words of other programs' command lines that are wrong here, and says what to type.
#pragma once

#include <string>
#include <string_view>

#include "src/options/options.h"

namespace vidconv {

// Returns what to type instead of an unknown option; empty if its meaning cannot be guessed.
std::string remedy_for_option(std::string_view option);

// Refuses inputs that are no files and look like part of a filter ("--kernel gaussian sigma=2").
void refuse_parts_as_inputs(const Options& o);

// Returns what to type if no output was named: the last of several inputs may be meant as one.
std::string remedy_for_output(const Options& o);

}  // namespace vidconv
