// Reads files of boxes as detectors write them (docs/places.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/region/boxes.h"

namespace vidconv {

// Parses FILE[:grow=PERCENT%][:shape=rectangle|ellipse][:feather=PIXELS][:units=pixels|relative].
// Throws Error(command_line).
BoxOptions parse_regions(const std::string& text);

// Parses JSON lines, an array of JSON objects, CSV with a header line, or MOT challenge's CSV.
// `name` is for messages. Throws Error(filter_spec), with the line.
std::vector<BoxLine> read_boxes(std::string_view bytes, const std::string& name, Units units);

}  // namespace vidconv
