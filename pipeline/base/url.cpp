#include "pipeline/base/url.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace vidconv {
namespace {

constexpr std::string_view scheme_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
constexpr std::string_view hidden = "***";

// Names of parameters with these parts have values that grant access.
constexpr std::array<std::string_view, 10> secrets{"token", "pass", "pwd",  "secret",  "sig",
                                                   "key",   "auth", "cred", "session", "jwt"};

// Live streams have these schemes; nothing that has passed can be requested again.
constexpr std::array<std::string_view, 14> live_schemes{"udp",   "rtp",   "rtsp",  "rtsps", "tcp",
                                                        "tls",   "unix",  "srt",   "rist",  "rtmp",
                                                        "rtmps", "rtmpt", "rtmpe", "rtmpts"};

bool is_secret(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(secrets,
                             [&](std::string_view part) { return lower.find(part) != lower.npos; });
}

// Hides the password of "user:password@" behind "://" in a URL.
std::string without_passwords(std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t begin = text.find("://");
    if (begin == text.npos) return result.append(text);
    result.append(text.substr(0, begin + 3));
    text.remove_prefix(begin + 3);
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n\""));
    const std::string_view authority = word.substr(0, word.find_first_of("/?#"));
    std::size_t at = authority.rfind('@');
    // The password has one of these characters in it, so this is no proper URL: what follows the
    // colon is no port.
    if (const std::size_t colon = authority.find(':');
        at == authority.npos && colon != authority.npos && !authority.starts_with('[') &&
        authority.find_first_not_of("0123456789'", colon + 1) != authority.npos)
      at = word.rfind('@');
    if (at == word.npos) continue;
    const std::size_t colon = word.substr(0, at).find(':');
    if (colon != word.npos) result.append(word.substr(0, colon + 1));
    result.append(hidden);
    text.remove_prefix(at);
  }
}

// Hides the secret values of "?name=value&name=value".
std::string without_secret_values(std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos) return result.append(text);
    const std::size_t before = text.substr(0, equals).find_last_of("?&;# \t\r\n\"'/");
    result.append(text.substr(0, equals + 1));
    const bool parameter = before != text.npos && (text[before] == '?' || text[before] == '&');
    const bool secret = parameter && is_secret(text.substr(before, equals - before));
    text.remove_prefix(equals + 1);
    if (!secret) continue;
    result.append(hidden);
    text.remove_prefix(std::min(text.find_first_of("&;# \t\r\n\"'"), text.size()));
  }
}

}  // namespace

std::string_view scheme_of(std::string_view url) {
  if (url.starts_with("subfile,")) return url.substr(0, 7);
  const std::size_t end = url.find_first_not_of(scheme_characters);
  return end != url.npos && url[end] == ':' ? url.substr(0, end) : std::string_view();
}

bool is_url(std::string_view input) {
  return input.find("://") != input.npos && !scheme_of(input).empty() && scheme_of(input) != "file";
}

bool is_live_address(std::string_view input) {
  return is_url(input) && std::ranges::find(live_schemes, scheme_of(input)) != live_schemes.end();
}

std::string local_path(std::string_view input) {
  if (scheme_of(input) != "file") return std::string(input);
  input.remove_prefix(5);
  if (input.starts_with("///")) input.remove_prefix(2);
  return std::string(input);
}

std::string redacted(std::string_view text) {
  return without_secret_values(without_passwords(text));
}

}  // namespace vidconv
