// Whether an input has a manifest of where it comes from (C2PA): it is signed for the bytes of the
// input, and FFmpeg does not speak of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace vidconv {

// Some bytes from a place of the input on: fewer where it ends or is not to be read, and none.
using BytesAt = std::function<std::string(std::int64_t at, std::size_t count)>;

// Boxes of MP4 and chunks of RIFF are walked through; of what else there is, it is at the
// beginning.
bool has_manifest(const BytesAt& read);

}  // namespace vidconv
