#include "pipeline/io/content_key.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <set>

#include "tests/pipeline/support/support.h"
#include "tests/support/files.h"

namespace vidconv::test {
namespace {

std::string key_of(const std::vector<std::pair<std::string, std::vector<std::string>>>& words) {
  ContentKey key;
  for (const auto& [name, values] : words) key.add(name, values);
  return key.hex();
}

TEST(ContentKey, IsOfEveryWordInItsPlace) {
  EXPECT_EQ(ContentKey().hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(key_of({{"a", {"b"}}}), key_of({{"a", {"b"}}}));
  const std::set<std::string> different{
      key_of({}),
      key_of({{"a", {}}}),
      key_of({{"a", {"b"}}}),
      key_of({{"a", {"b", ""}}}),
      key_of({{"ab", {""}}}),
      key_of({{"a", {"b"}}, {"c", {"d"}}}),
      key_of({{"c", {"d"}}, {"a", {"b"}}}),
      key_of({{"a", {"b", "c", "d"}}}),
      key_of({{"a", {"b 1 c 1 d\n"}}}),
      key_of({{"a", {std::string("b\0", 2)}}}),
  };
  EXPECT_EQ(different.size(), 10U);
}

TEST(ContentKey, FilesAreKnownByTheirEndsAndTheirTime) {
  const TempDir dir;
  const std::string path = dir / "a";
  const std::string bytes(300'000, 'a');
  const auto time = std::filesystem::file_time_type() + std::chrono::hours(24);
  const auto identity = [&](std::string_view with, std::chrono::nanoseconds later = {}) {
    write_file(path, with);
    std::filesystem::last_write_time(path, time + later);
    return identity_of_file(path).value_or("none");
  };
  const std::string first = identity(bytes);
  EXPECT_EQ(identity(bytes), first);
  std::string head = bytes, tail = bytes;
  head.front() = tail.back() = 'b';
  EXPECT_EQ((std::set{first, identity(head), identity(tail), identity(bytes + "a"), identity(""),
                      identity(bytes, std::chrono::nanoseconds(1))})
                .size(),
            6U);
  EXPECT_FALSE(identity_of_file(dir / "nowhere").has_value());
  EXPECT_FALSE(identity_of_file("/").has_value());
  EXPECT_FALSE(identity_of_file("/dev/null").has_value());
}

}  // namespace
}  // namespace vidconv::test
