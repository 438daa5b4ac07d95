// Makes text that others have written (names, tags, FFmpeg's log) fit to be shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vidconv {

// Escapes characters that steer a terminal, begin a line or turn the direction of reading, except
// those of `kept`, as JSON does ("\n", "\u001b"), so that JSON stays the same JSON. A byte that is
// no UTF-8 becomes "\xff".
std::string printable(std::string_view text, std::string_view kept = {});

// Makes `text` a part of a message, where settings stand in backticks: doubles its backticks, so
// that they name no setting. They become single ones again where settings get their shown names.
std::string verbatim(std::string_view text);
// Returns a message with its settings as they are, and text that was verbatim() as it was before.
std::string plain(std::string_view message);

// Returns whether it can be a text of JSON or YAML.
bool is_utf8(std::string_view text);

// Returns about `most` bytes: a longer text has "..." in its middle.
std::string shortened(std::string_view text, std::size_t most);
// The limit for values, specifications and words of libraries in a message, in bytes.
inline constexpr std::size_t longest_value = 120;
// Returns about `most` bytes around the byte `at`, with "..." where something is cut off.
std::string excerpt(std::string_view text, std::size_t at, std::size_t most);

}  // namespace vidconv
