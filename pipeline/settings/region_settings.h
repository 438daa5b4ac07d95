// Boxes of `regions`, and the filters that act in them.
#pragma once

#include <string>
#include <vector>

#include "pipeline/settings/settings.h"

namespace vidconv {

// Returns the value of `regions_default` as it is. Throws Error where it is neither a number from 1
// nor a filter.
std::string filter_of_boxes_setting(const std::string& text);

// Reads the file of `regions`, if there is one, and gives its boxes to the filters that have no
// place of their own. To be called once, when all is set. Throws Error(filter_spec), with the line,
// and Error(command_line).
void take_boxes(Settings& settings);

// Does the same with a list of boxes. `options`: those of parse_list_options().
void take_boxes(std::vector<BoxLine> boxes, const BoxOptions& options, Settings& settings);

}  // namespace vidconv
