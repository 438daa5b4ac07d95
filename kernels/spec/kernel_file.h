// Reads kernels from files: text, or a picture whose grey levels are the taps.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kernels/filter/kernel.h"
#include "kernels/spec/spec_text.h"

namespace vidconv {

// Several times the size of the largest kernel, written with all digits.
inline constexpr std::size_t most_kernel_bytes = std::size_t{32} << 20;

// Reads a whole file of at most `most` bytes. Throws std::runtime_error that says why it cannot be
// read.
std::string read_kernel_file(const std::string& path, std::size_t most = most_kernel_bytes);
// Reads the first 64 bytes, or all where there are fewer: enough to tell the format. Throws as
// read_kernel_file() does.
std::string read_first_bytes(const std::string& path);

// Whether the bytes are those of a PNG or PGM picture.
bool is_kernel_picture(std::string_view bytes);

// Returns the grey levels of a PNG or PGM picture of up to 513x513 and `max_pixels` as taps, 0 for
// black and 1 for white, anchored in the middle. No gamma is applied. Throws std::runtime_error for
// a picture that is damaged, too large, not grey or not opaque.
Kernel read_kernel_picture(std::string_view bytes, std::int64_t max_pixels);

// Reads rows of numbers. `#` begins a comment, empty lines are skipped, `size=WxH` is checked
// against the rows; for a line of any other `key=value`, read_key is called at its beginning.
// Throws SpecError, whose text is the line.
Kernel read_kernel_text(std::string_view bytes, const std::string& name,
                        const std::function<void(Cursor&)>& read_key);

}  // namespace vidconv
