// Reads what filters over time take beside taps: "border=shrink", "every=4".
#pragma once

#include <string_view>

#include "kernels/filter/over_time.h"
#include "kernels/spec/spec_text.h"

namespace vidconv {

// Reads the value of one of time_keys(), at the cursor; false for another key. Throws SpecError.
bool read_over_time(Cursor& c, std::string_view key, OverTime& over_time);

}  // namespace vidconv
