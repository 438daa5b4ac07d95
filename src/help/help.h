// --help and the manual page, generated from the tables of options, messages and filters.
#pragma once

#include <string>

namespace vidconv {

// Returns the full help for a terminal of 80 columns.
std::string help_text();
// Returns one screen of help: the options that are used most.
std::string short_help_text();

// Returns troff with the macros of man(7).
std::string manual_page();

}  // namespace vidconv
