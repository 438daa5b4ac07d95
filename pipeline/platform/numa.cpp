#include "pipeline/platform/numa.h"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <fstream>

namespace vidconv {
namespace {

constexpr int most_nodes = 64;  // bits of Nodes

// Reads "0" on a host with one node, else "0-1" or "0,2".
bool has_several_nodes(const std::string& system) {
  std::string online;
  std::ifstream(system + "/devices/system/node/online") >> online;
  return online.find_first_of("-,") != std::string::npos;
}

// Adds a list as the kernel writes it, "0-15,32-47", to `cpus`.
void add_cpus(const std::string& path, cpu_set_t& cpus) {
  std::ifstream list(path);
  for (int first = 0; list >> first; list.ignore()) {
    int last = first;
    if (list.peek() == '-') list.ignore() >> last;
    for (int cpu = first; cpu <= last && cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &cpus);
  }
}

}  // namespace

std::optional<int> node_of_pci(std::string bus_id, const std::string& system) {
  std::ranges::transform(bus_id, bus_id.begin(), [](char c) {  // as sysfs writes digits
    return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  int node = -1;
  std::ifstream file(system + "/bus/pci/devices/" + bus_id + "/numa_node");
  if (!(file >> node) || node < 0 || node >= most_nodes || !has_several_nodes(system))
    return std::nullopt;
  return node;
}

void prefer_nodes(std::byte* memory, std::size_t bytes, Nodes nodes) noexcept {
  if (nodes == 0) return;
  // glibc has no wrapper for mbind(2), and libnuma would be a library for this one call.
  const unsigned long mask = nodes;
  const int mode = std::has_single_bit(nodes) ? MPOL_PREFERRED : MPOL_INTERLEAVE;
  constexpr std::size_t page = 4096;
  const std::size_t rounded = (bytes + page - 1) / page * page;
  syscall(SYS_mbind, memory, rounded, mode, &mask, most_nodes + 1, MPOL_MF_MOVE);
}

void run_near(Nodes nodes, const std::string& system) noexcept {
  cpu_set_t near, allowed;
  CPU_ZERO(&near);
  for (int node = 0; node < most_nodes; ++node)
    if (nodes >> node & 1)
      add_cpus(system + "/devices/system/node/node" + std::to_string(node) + "/cpulist", near);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  CPU_AND(&near, &near, &allowed);
  if (CPU_COUNT(&near) > 0) sched_setaffinity(0, sizeof near, &near);
}

}  // namespace vidconv
