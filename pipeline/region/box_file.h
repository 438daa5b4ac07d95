// Reads files of boxes as detectors write them (docs/places.md), and takes lists of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/region/boxes.h"

namespace vidconv {

// Parses JSON lines, an array of JSON objects, CSV with a header line, or MOT challenge's CSV.
// `name` is for messages. Throws Error(filter_spec), with the line.
std::vector<BoxLine> read_boxes(std::string_view bytes, const std::string& name, Units units);

// Reads the file that the options name. Throws Error(filter_spec).
std::vector<BoxLine> read_box_file(const BoxOptions& options);

// Checks boxes that are in no file as those of a file are, and numbers them. Throws
// Error(filter_spec), with the index of the box.
void check_listed(std::vector<BoxLine>& boxes, const BoxOptions& options);

}  // namespace vidconv
