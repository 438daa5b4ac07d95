// Finds out whether an input has a manifest of where it comes from (C2PA). A manifest is signed for
// the bytes of the input, and FFmpeg does not speak of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace vidconv {

// Returns up to `count` bytes of the input from `at` on: fewer or none if it ends or may not be
// read.
using BytesAt = std::function<std::string(std::int64_t at, std::size_t count)>;

// Returns whether there is a manifest. Walks through boxes of MP4 and chunks of RIFF; other formats
// have it at the beginning.
bool has_manifest(const BytesAt& read);

}  // namespace vidconv
