// Numbers from text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace vidconv {

// Reads all of `text` as a number. Returns nothing where it is something else or out of range, as
// nan is.
template <class T>
std::optional<T> number_of(std::string_view text, T min, T max) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value >= min && value <= max) return value;
  return std::nullopt;
}

}  // namespace vidconv
