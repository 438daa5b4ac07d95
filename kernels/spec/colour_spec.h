// Colours, as a user writes them.
#pragma once

#include "kernels/filter/filter.h"
#include "kernels/spec/spec_text.h"

namespace vidconv {

// Reads a colour up to the next ':' or the end: a name of CSS in any case, #rrggbb, #rgb or
// 0xrrggbb. Throws SpecError.
Colour read_colour(Cursor& c);

}  // namespace vidconv
