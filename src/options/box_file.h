// Files of boxes, as detectors write them (docs/places.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pipeline/filter/boxes.h"

namespace vidconv {

// FILE[:grow=PERCENT%][:shape=rectangle|ellipse][:feather=PIXELS]. Throws Error(command_line).
BoxOptions parse_regions(const std::string& text);

// JSON lines, CSV with a heading, or MOT challenge's CSV. `name`: for messages. Throws
// Error(filter_spec), with the line.
std::vector<BoxLine> read_boxes(const std::string& bytes, const std::string& name);

}  // namespace vidconv
