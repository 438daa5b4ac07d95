// Checks of results: a peer that is wrong by more is not ahead.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "bench/peers/peers.h"

namespace vidconv::bench {

struct Check {
  double equal;  // share of the samples that are vidconv's
  double off;    // largest difference from the filter in double before rounding, clamped; in codes
};

// Checks a plane of the case's size, whose rows have no gaps. Leaves out samples near the edges,
// because borders differ; where kernels have many taps, `off` is of some rows only. Returns nullopt
// where the kernel reaches the edges from everywhere.
std::optional<Check> check_result(const Case& c, std::span<const std::byte> source,
                                  std::span<const std::byte> ours,
                                  std::span<const std::byte> result);

}  // namespace vidconv::bench
