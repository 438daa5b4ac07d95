// Tests where memory is near, as the kernel tells, and memory from there.
#include "pipeline/platform/numa.h"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

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

// Every host has a node 0. If the kernel refuses, nothing changes.
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

std::vector<int> own_cpus() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

TEST_F(Numa, AThreadRunsThere) {
  const std::vector<int> all = own_cpus();
  ASSERT_FALSE(all.empty());
  const auto cpus_near = [&](Nodes nodes) {
    std::vector<int> cpus;
    std::thread([&] {
      run_near(nodes, system());
      cpus = own_cpus();
    }).join();
    return cpus;
  };
  const std::string last = std::to_string(all.back());
  tell("devices/system/node/node1/cpulist", last);
  tell("devices/system/node/node2/cpulist", "0-1023");
  tell("devices/system/node/node3/cpulist", "1022-1023");
  tell("devices/system/node/node4/cpulist", "");
  tell("devices/system/node/node5/cpulist", "1020-1021," + last + "-" + last + ",1023");
  const std::vector<int> one{all.back()};
  EXPECT_EQ(cpus_near(1 << 1), one);
  EXPECT_EQ(cpus_near(1 << 5), one);
  EXPECT_EQ(cpus_near(1 << 1 | 1 << 3), one);
  EXPECT_EQ(cpus_near(1 << 2), all);
  for (const Nodes nowhere : {Nodes{0}, Nodes{1 << 3}, Nodes{1 << 4}, Nodes{1 << 6}})
    EXPECT_EQ(cpus_near(nowhere), all) << nowhere;
}

}  // namespace
}  // namespace vidconv
