#include "pipeline/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

extern "C" {
#include <libavutil/avstring.h>
}

namespace vidconv {
namespace {

constexpr std::string_view gap = "...";

struct Range {
  std::int32_t first, last;
};
constexpr Range unfit[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},      // control characters
    {0x61C, 0x61C},   {0x200E, 0x200F},  // marks of direction
    {0x2028, 0x202E},                    // separators of lines; embeddings and overrides
    {0x2066, 0x2069},                    // isolates
    {0xFEFF, 0xFEFF}, {0xFFFE, 0xFFFF},  // order of bytes
};

std::string escaped(std::int32_t code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return fmt::format("\\u{:04x}", code);
  }
}

// Returns the next place where a UTF-8 character may begin, at most the length of one further on,
// because there may be none.
std::size_t boundary(std::string_view text, std::size_t at) {
  for (int longest = 4; longest > 1 && at < text.size(); --longest, ++at)
    if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) break;
  return at;
}

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  const auto* at = reinterpret_cast<const std::uint8_t*>(text.data());
  const std::uint8_t* const end = at + text.size();
  while (at != end) {
    const std::uint8_t* const begin = at;
    std::int32_t code = 0;
    if (av_utf8_decode(&code, &at, end, AV_UTF8_FLAG_ACCEPT_NON_CHARACTERS) < 0) {
      result += fmt::format("\\x{:02x}", *begin);
      at = begin + 1;
      continue;
    }
    const bool fit =
        std::ranges::none_of(unfit, [&](Range r) { return code >= r.first && code <= r.last; }) ||
        (code < 0x80 && kept.find(static_cast<char>(code)) != kept.npos);
    if (fit)
      result.append(begin, at);
    else
      result += escaped(code);
  }
  return result;
}

std::string verbatim(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) result.append(c == '`' ? 2 : 1, c);
  return result;
}

std::string plain(std::string_view message) {
  std::string result;
  result.reserve(message.size());
  for (std::size_t i = 0; i < message.size(); ++i) {
    result += message[i];
    if (message.substr(i).starts_with("``")) ++i;
  }
  return result;
}

bool is_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto* const end = at + text.size();
  for (std::int32_t code = 0; at < end;)
    if (av_utf8_decode(&code, &at, end, AV_UTF8_FLAG_ACCEPT_NON_CHARACTERS) < 0) return false;
  return true;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const std::size_t left = most - gap.size(), end = boundary(text, left * 2 / 3),
                    begin = boundary(text, text.size() - left / 3);
  return fmt::format("{}{}{}", text.substr(0, end), gap, text.substr(begin));
}

std::string excerpt(std::string_view text, std::size_t at, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const std::size_t length = most - 2 * gap.size();
  const std::size_t first = std::min(at - std::min(at, length / 2), text.size() - length);
  const std::size_t begin = boundary(text, first), end = boundary(text, first + length);
  return fmt::format("{}{}{}", begin > 0 ? gap : "", text.substr(begin, end - begin),
                     end < text.size() ? gap : "");
}

}  // namespace vidconv
