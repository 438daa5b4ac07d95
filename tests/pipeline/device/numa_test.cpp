// Where memory is near, as the kernel tells of it; and memory from there.
#include "pipeline/device/numa.h"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

namespace fs = std::filesystem;

class Numa : public testing::Test {
 protected:
  void tell(const std::string& file, const std::string& content) const {
    const fs::path path = system() + "/" + file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << content << "\n";
  }
  std::string system() const { return dir_ / "sys"; }
  std::optional<int> node(const std::string& bus_id) const { return node_of_pci(bus_id, system()); }

 private:
  test::TempDir dir_;
};

TEST_F(Numa, TheNodeOfADevice) {
  tell("devices/system/node/online", "0-1");
  tell("bus/pci/devices/0000:1b:00.0/numa_node", "1");
  tell("bus/pci/devices/0000:cc:00.0/numa_node", "0");
  EXPECT_EQ(node("0000:1B:00.0"), 1);  // as CUDA writes it
  EXPECT_EQ(node("0000:cc:00.0"), 0);
}

TEST_F(Numa, NoneWhereTheHostHasOneOrDoesNotSay) {
  EXPECT_EQ(node("0000:1B:00.0"), std::nullopt);
  tell("devices/system/node/online", "0-1");
  EXPECT_EQ(node("0000:1B:00.0"), std::nullopt);
  for (const char* content : {"-1", "", "many", "64"}) {
    tell("bus/pci/devices/0000:1b:00.0/numa_node", content);
    EXPECT_EQ(node("0000:1B:00.0"), std::nullopt) << content;
  }
  tell("bus/pci/devices/0000:1b:00.0/numa_node", "0");
  tell("devices/system/node/online", "0");
  EXPECT_EQ(node("0000:1B:00.0"), std::nullopt);
}

int policy_of(const std::byte* memory) {
  int mode = -1;
  if (syscall(SYS_get_mempolicy, &mode, nullptr, 0, memory, MPOL_F_ADDR) != 0) return -1;
  return mode;
}

// Every host has a node 0. What it refuses changes nothing.
TEST_F(Numa, MemoryComesFromThere) {
  constexpr std::size_t bytes = 5 << 20;
  std::byte* memory = allocate_pages(bytes);
  ASSERT_TRUE(memory);
  const int before = policy_of(memory);
  prefer_nodes(memory, bytes, 0);
  EXPECT_EQ(policy_of(memory), before);
  prefer_nodes(memory, bytes, 1);
  const int after = policy_of(memory);
  memory[0] = memory[bytes - 1] = std::byte{1};
  plain_memory.release(memory);
  if (before < 0) GTEST_SKIP() << "the system does not tell policies of memory";
  EXPECT_TRUE(after == MPOL_PREFERRED || after == before) << after;
}

}  // namespace
}  // namespace vidconv
