// The key of an output: a digest of its input and of all options that bear on its bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/options/options.h"

namespace vidconv {

// Returns whether an option bears on the bytes of the output, rather than on how they are made and
// reported. An option that is not listed as harmless does.
bool bears_on_bytes(std::string_view option);

// Returns a digest of all options that bear on the bytes. Reads the kernel files and the boxes.
std::string key_of_words(const Options& options);

// `words` comes from key_of_words(). Empty if nobody can tell whether the input is still the same:
// pipes, addresses, numbered pictures, playlists. Encoders whose bytes vary with the number of CPUs
// have the same key for all numbers.
std::optional<std::string> output_key(const std::string& words, const Options& options);

}  // namespace vidconv
