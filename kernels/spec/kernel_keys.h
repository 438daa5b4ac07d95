// Reads the keys that change a kernel: "scale=1/9", "anchor=0,0".
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/spec/parse.h"
#include "kernels/spec/spec_text.h"

namespace vidconv {

// The dimensions in which a kernel has taps.
enum class TapsOn : std::uint8_t { pixels, frames, both };

// Returns whether it is one of these keys.
bool is_kernel_key(std::string_view key);
// Reads the value of one of these keys, at the cursor, which is one after '='; false for another
// key. Throws SpecError.
bool read_kernel_key(Cursor& c, std::string_view key, TapsOn taps, Modifiers& m);

}  // namespace vidconv
