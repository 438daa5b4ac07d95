// Tests the quota of control groups, as it lies in files; taskset and a real quota are tested with
// the command.
#include "pipeline/platform/usable_threads.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace vidconv {
namespace {

namespace fs = std::filesystem;

class CpuQuota : public testing::Test {
 protected:
  CpuQuota() { fs::create_directories(root_ / "proc/self"); }
  ~CpuQuota() override { fs::remove_all(root_); }

  void put(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  std::optional<int> quota() const { return cpu_quota(root_); }

 private:
  const fs::path root_ = fs::temp_directory_path() / ("vidconv_quota_" + std::to_string(getpid()));
};

TEST_F(CpuQuota, OfVersion2) {
  put("proc/self/cgroup", "0::/a/b\n");
  EXPECT_EQ(quota(), std::nullopt);
  put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), std::nullopt);
  put("sys/fs/cgroup/a/b/cpu.max", "250000 100000\n");
  EXPECT_EQ(quota(), 3);
  put("sys/fs/cgroup/a/cpu.max", "150000 100000\n");  // the least on the way up counts
  EXPECT_EQ(quota(), 2);
  put("sys/fs/cgroup/a/cpu.max", "1000 100000\n");
  EXPECT_EQ(quota(), 1);
  put("sys/fs/cgroup/a/cpu.max", "");
  put("sys/fs/cgroup/a/b/cpu.max", "rubbish");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(CpuQuota, OfVersion1) {
  put("proc/self/cgroup", "9:memory:/m\n4:cpu,cpuacct:/docker/1\n0::/\n");
  put("sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), std::nullopt);
  put("sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us", "400000\n");
  EXPECT_EQ(quota(), 4);
}

TEST_F(CpuQuota, OfAContainerThatSeesItsGroupAsTheRoot) {
  put("proc/self/cgroup", "4:cpu:/docker/1\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 2);
  put("proc/self/cgroup", "0::/\n");
  put("sys/fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_EQ(quota(), 3);
}

TEST_F(CpuQuota, WithoutControlGroups) { EXPECT_EQ(quota(), std::nullopt); }

}  // namespace
}  // namespace vidconv
