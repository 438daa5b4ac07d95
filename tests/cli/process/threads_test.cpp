// The default number of threads follows the process's CPU affinity and its control group's quota.
#include <unistd.h>

#include <fstream>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class UsableThreads : public CliTest {};

TEST_F(UsableThreads, FollowTheAffinity) {
  const Result listed = shell("taskset -c 0 " + vidconv() + " --list-devices");
  EXPECT_TRUE(succeeded(listed));
  EXPECT_TRUE(has_line_with(listed.out, {"CPU, 1 thread"}));
  EXPECT_EQ(listed.out.find("CPU, 1 threads"), std::string::npos);
  const Result explained =
      shell("taskset -c 0 " + vidconv() + " pattern:64x48 --device cpu --kernel box --explain");
  EXPECT_TRUE(has_line_with(explained.out, {"device  CPU, 1 thread"}));
}

// A control group of this test's own, removed with it.
class Group {
 public:
  Group() {
    for (const char* root : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup"}) {
      path_ = std::string(root) + "/vidconv_test_" + std::to_string(getpid());
      std::error_code error;
      if (!std::filesystem::create_directory(path_, error)) continue;
      if (put("cpu.max", "50000 100000") ||
          (put("cpu.cfs_period_us", "100000") && put("cpu.cfs_quota_us", "50000")))
        return;
      std::filesystem::remove(path_, error);
    }
    path_.clear();
  }
  ~Group() {
    if (!path_.empty()) ::rmdir(path_.c_str());
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  const std::string& path() const { return path_; }  // empty where none could be made

 private:
  bool put(const std::string& name, const std::string& value) const {
    if (!std::filesystem::exists(path_ + "/" + name)) return false;
    std::ofstream file(path_ + "/" + name);
    file << value << std::flush;
    return static_cast<bool>(file);
  }

  std::string path_;
};

TEST_F(UsableThreads, FollowTheQuota) {
  const Group group;
  if (group.path().empty()) GTEST_SKIP() << "no control group can be made here";
  const Result listed =
      shell("echo $$ > " + group.path() + "/cgroup.procs && " + vidconv() + " --list-devices");
  EXPECT_TRUE(succeeded(listed));
  EXPECT_TRUE(has_line_with(listed.out, {"CPU, 1 thread"}));
  // Encoders that count CPUs themselves are told the number.
  const Result encoded = shell("echo $$ > " + group.path() + "/cgroup.procs && " + vidconv() +
                               " pattern:64x48#5 --kernel box --codec libx265 --stats " +
                               path("s.json") + " -o " + path("a.mkv"));
  EXPECT_TRUE(succeeded(encoded));
  EXPECT_NE(read_file(path("s.json")).find("pools=1"), std::string::npos);
}

// Some encoders refuse to open with more threads than they support.
TEST_F(UsableThreads, MayBeMoreThanAnEncoderTakes) {
  for (const std::string codec : {"libx264", "libx265", "mjpeg", "prores_ks", "dnxhd", "ffv1"})
    EXPECT_TRUE(succeeded(run_vidconv({"pattern:256x128#3", "-o", path(codec + ".mkv"), "--kernel",
                                       "box", "--threads", "100", "--codec", codec})))
        << codec;
}

}  // namespace
}  // namespace vidconv::test
