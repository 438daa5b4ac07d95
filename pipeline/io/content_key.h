// ContentKey: a short name for everything that determines the bytes of an output, or of a shard.
// Two outputs with the same key are equal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vidconv {

class ContentKey {
 public:
  // Adds a named value. The order of calls affects the key, too. Values may hold any bytes.
  void add(std::string_view name, std::string_view value);
  // Adds a named list.
  void add(std::string_view name, const std::vector<std::string>& values);

  // Returns the SHA-256 in 64 hexadecimal digits.
  std::string hex() const;

 private:
  std::string text_;  // each word after its length, so that different lists give different texts
};

// Returns the versions of libav* in use, on which bytes may depend as well.
std::string libav_versions();

// Identifies a file without reading all of it: by size, modification time, and first and last 64
// KiB. Returns none where it is no regular file, or cannot be read.
std::optional<std::string> identity_of_file(const std::string& path);
// Returns a digest of all bytes of a file, whenever it was written; none as above.
std::optional<std::string> content_of_file(const std::string& path);

}  // namespace vidconv
