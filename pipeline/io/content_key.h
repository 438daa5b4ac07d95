// ContentKey: a short name for all that bears on the bytes of an output, or of a part of one. Two
// outputs with the same key are the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vidconv {

class ContentKey {
 public:
  // The order of calls bears on the key, too. Values may hold any bytes.
  void add(std::string_view name, std::string_view value);
  // The same for a list.
  void add(std::string_view name, const std::vector<std::string>& values);

  // SHA-256 in 64 hexadecimal digits.
  std::string hex() const;

 private:
  std::string text_;  // each word behind its length, so that no two lists of words are one text
};

// The versions of libav* that are in use, on which bytes may depend as well.
std::string libav_versions();

// What a file is, without reading all of it: its size, when it was written to, its first and last
// 64 KiB. None where it is no regular file, or cannot be read.
std::optional<std::string> identity_of_file(const std::string& path);
// A digest of all bytes of a file, whenever it was written. None as above.
std::optional<std::string> content_of_file(const std::string& path);

}  // namespace vidconv
