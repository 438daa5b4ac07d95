// Text that others have written (names, tags, FFmpeg's log), made fit to be shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vidconv {

// `text` without what steers a terminal, begins a line or turns the direction of reading: each such
// character but those of `kept` is written as JSON writes it ("\n", "\u001b"), so that a text that
// is JSON stays the same JSON. A byte that is no UTF-8 is written "\xff".
std::string printable(std::string_view text, std::string_view kept = {});

// As a part of a message, where settings stand in backticks: each backtick of `text` is doubled, so
// that it names none, and stands for one again where settings get other names.
std::string verbatim(std::string_view text);
// A message whose settings keep their names: what is verbatim() in it is as it was.
std::string plain(std::string_view message);

// Whether it can be a text of JSON or YAML.
bool is_utf8(std::string_view text);

// About `most` bytes: what is longer has "..." in its middle.
std::string shortened(std::string_view text, std::size_t most);
// Of values, specifications and words of libraries in a message, bytes.
inline constexpr std::size_t longest_value = 120;
// About `most` bytes of what stands around the byte `at`, with "..." where something is missing.
std::string excerpt(std::string_view text, std::size_t at, std::size_t most);

}  // namespace vidconv
