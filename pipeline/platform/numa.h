// Finds the NUMA memory and CPUs near a device. Nothing here fails: where the host has one node,
// does not say, or does not allow it, everything stays where it would have been.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "pipeline/av/pool.h"

namespace vidconv {

// Returns the node of a PCI device ("0000:1B:00.0"); none where the host has one node or does not
// say. `system` is where sysfs is, another folder in tests.
std::optional<int> node_of_pci(std::string bus_id, const std::string& system = "/sys");

// Asks for whole pages from these nodes as long as they have some: from one node, or interleaved
// over several. Existing pages are moved, unless something has pinned them.
void prefer_nodes(std::byte* memory, std::size_t bytes, Nodes nodes) noexcept;

// Restricts the calling thread, and those that it starts from now on, to those CPUs of these nodes
// that it may run on already. Changes nothing where there are no such CPUs, or no nodes.
void run_near(Nodes nodes, const std::string& system = "/sys") noexcept;

}  // namespace vidconv
