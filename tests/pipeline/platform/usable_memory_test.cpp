// Tests the limit of control groups, as it lies in files.
#include "pipeline/platform/usable_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace vidconv {
namespace {

namespace fs = std::filesystem;

class MemoryLimit : public testing::Test {
 protected:
  MemoryLimit() { put("proc/self/cgroup", "9:memory:/m\n0::/a/b\n"); }
  ~MemoryLimit() override { fs::remove_all(root_); }

  void put(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  std::optional<std::int64_t> limit() const { return memory_limit(root_); }

 private:
  const fs::path root_ = fs::temp_directory_path() / ("vidconv_memory_" + std::to_string(getpid()));
};

TEST_F(MemoryLimit, OfVersion2) {
  EXPECT_EQ(limit(), std::nullopt);
  put("sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(limit(), std::nullopt);
  put("sys/fs/cgroup/a/b/memory.max", "2147483648\n");
  EXPECT_EQ(limit(), 2147483648);
  put("sys/fs/cgroup/a/memory.max", "1000000\n");  // the least on the way up counts
  EXPECT_EQ(limit(), 1000000);
}

TEST_F(MemoryLimit, OfVersion1) {
  put("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(limit(), std::nullopt);
  put("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "500000\n");
  EXPECT_EQ(limit(), 500000);
}

TEST(UsableMemory, IsSomething) { EXPECT_GT(usable_memory(), 1 << 20); }

}  // namespace
}  // namespace vidconv
