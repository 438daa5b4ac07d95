// Reads kernels from files: text, or a picture whose grey levels are the taps.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kernels/filter/kernel.h"
#include "kernels/spec/grey_picture.h"
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

// Pictures that are coded in ways that are not known here.
enum class CodedPicture : std::uint8_t { none, jpeg, tiff, bmp, webp };
// By the first bytes.
CodedPicture coded_picture(std::string_view bytes);

// Reads one of these, for who knows how. Throws std::runtime_error.
using PictureDecoder = GreyPicture (*)(std::string_view bytes, const GreyLimits& limits);

// The grey levels of a picture of up to 513x513 and `max_pixels` as taps: 0 is black, 1 white,
// anchored in the middle. As stored: no gamma is applied. `decoder`: of a coded_picture(), may be
// null. Throws std::runtime_error: damaged, too large, not grey, not opaque.
Kernel read_kernel_picture(std::string_view bytes, std::int64_t max_pixels,
                           PictureDecoder decoder = nullptr);

// The kernel of a text file. `plane_rows`: as OverTime has it.
struct KernelText {
  Kernel kernel;
  int plane_rows = 0;
};

// Whether a line of the text is `|`: the rows are those of a volume's planes.
bool has_planes(std::string_view bytes);

// Reads rows of numbers, with a line of `|` between two planes of a volume. `#` begins a comment,
// empty lines are skipped, `size=WxH` is checked against the rows of a plane; for a line of any
// other `key=value`, read_key is called at its beginning. Throws SpecError, whose text is the line.
KernelText read_kernel_text(std::string_view bytes, const std::string& name,
                            const std::function<void(Cursor&)>& read_key);

}  // namespace vidconv
