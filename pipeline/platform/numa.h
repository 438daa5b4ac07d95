// NUMA: which part of the host's memory, and which CPUs, lie near a device. Nothing here fails:
// where the host has one node, does not say, or does not allow it, all is where it would have been.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "pipeline/av/pool.h"

namespace vidconv {

// The node that a PCI device ("0000:1B:00.0") hangs on; none where the host has one node or does
// not say. `system`: where the kernel tells of devices, another place for tests.
std::optional<int> node_of_pci(std::string bus_id, const std::string& system = "/sys");

// Whole pages shall come from these nodes as long as they have some: from one node, or in turns
// from several. Pages that are there already are moved, where nothing has pinned them.
void prefer_nodes(std::byte* memory, std::size_t bytes, Nodes nodes) noexcept;

// The calling thread, and those that it starts from now on, shall run on those CPUs of these nodes
// that it may run on already. Stays where it is where there are none of them, or no nodes.
void run_near(Nodes nodes, const std::string& system = "/sys") noexcept;

}  // namespace vidconv
