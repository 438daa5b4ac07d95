// Tests what becomes of files that killed runs have left beside their outputs.
#include <dirent.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "pipeline/io/partial_name.h"
#include "tests/pipeline/support/support.h"

namespace {
std::atomic<std::int64_t> entries_read = 0;
}

// Stands before the C library's function, and counts.
extern "C" dirent* readdir(DIR* folder) {
  static const auto real = reinterpret_cast<dirent* (*)(DIR*)>(dlsym(RTLD_NEXT, "readdir"));
  ++entries_read;
  return real(folder);
}

namespace vidconv {
namespace {

using test::TempDir;
using test::write_file;

TEST(Leftovers, GoWithTheirOutputOnly) {
  const TempDir dir;
  const std::string mark = "0123456789abcdef", other = "fedcba9876543210";
  for (const std::string& name :
       {"a.mkv." + mark + ".part", "a.mkv." + other + ".part", "b.mkv." + mark + ".part",
        "a.mkv." + mark + "0.part", std::string("a.mkv.part"), "a.mkv." + mark, mark + ".part"})
    write_file(dir / name, "left");
  remove_leftovers(dir / "a.mkv");
  EXPECT_FALSE(std::filesystem::exists(dir / ("a.mkv." + mark + ".part")));
  EXPECT_FALSE(std::filesystem::exists(dir / ("a.mkv." + other + ".part")));
  // Equal marks mean the same run.
  EXPECT_FALSE(std::filesystem::exists(dir / ("b.mkv." + mark + ".part")));
  EXPECT_EQ(dir.files().size(), 4U);
}

TEST(Leftovers, OfManyOutputsInOneFolderEachCostsTheSame) {
  const TempDir dir;
  constexpr int outputs = 2000;
  for (int i = 0; i < outputs; ++i) write_file(dir / (std::to_string(i) + ".mkv"), "");
  write_file(dir / "1999.mkv.0123456789abcdef.part", "left");
  entries_read = 0;
  for (int i = 0; i < outputs; ++i) remove_leftovers(dir / (std::to_string(i) + ".mkv"));
  EXPECT_GT(entries_read, outputs);  // it does count
  EXPECT_LT(entries_read, 150 * outputs);
  EXPECT_FALSE(std::filesystem::exists(dir / "1999.mkv.0123456789abcdef.part"));
}

}  // namespace
}  // namespace vidconv
