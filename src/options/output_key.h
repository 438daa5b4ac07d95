// The key of an output: a digest of its input and of all that the command line says of its bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/options/options.h"

namespace vidconv {

// Whether an option bears on the bytes of the output, rather than on who makes them and what is
// said about it. Those that nobody has thought of here do.
bool bears_on_bytes(std::string_view option);

// Of all that the command line says of the bytes, the files of kernels included, which are read.
std::string key_of_words(const Options& options);

// `words`: of key_of_words(). None where it cannot be known whether the input is still the same:
// pipes, addresses, numbered pictures, playlists. Encoders whose bytes vary with the number of CPUs
// have one key for all.
std::optional<std::string> output_key(const std::string& words, const Options& options);

}  // namespace vidconv
