// Reads from words which boxes are meant, and what becomes of them (docs/places.md).
#pragma once

#include <string>

#include "pipeline/region/boxes.h"

namespace vidconv {

// Parses FILE[:grow=15%][:hold=12][:shape=ellipse][:feather=8][:units=relative]. The file is not
// opened. Throws Error(command_line), with the column.
BoxOptions parse_regions(const std::string& text);

// Parses the same without a file, for boxes that are in none: "grow=15%:hold=12"; may be empty.
BoxOptions parse_list_options(const std::string& text);

}  // namespace vidconv
