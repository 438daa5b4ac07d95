// The boxes of the C header.
#pragma once

#include <vidconv/vidconv.h>

#include <cstddef>
#include <vector>

#include "pipeline/region/boxes.h"

namespace vidconv {

// Copies the caller's boxes. Throws Error(usage), with the index of the box.
std::vector<BoxLine> understood(const vidconv_box* boxes, std::size_t count);

}  // namespace vidconv
