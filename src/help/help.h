// --help and the manual page, made from the tables of options, messages and filters.
#pragma once

#include <string>

namespace vidconv {

// For a terminal of 80 columns.
std::string help_text();
// One screen of it: what is used most.
std::string short_help_text();

// In troff with the macros of man(7).
std::string manual_page();

}  // namespace vidconv
