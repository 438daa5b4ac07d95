// A kernel that reads whole frames and writes one, and computes next to nothing: what the device's
// memory carries where a filter over time moves as much.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/convolver/convolver.h"

namespace vidconv::bench {

inline constexpr std::size_t most_plain_frames = 9;

// Queues one launch that reads `bytes` bytes of each frame and writes as many to `to`. All are
// aligned to 16 bytes. Each thread has `vectors` (1, 2 or 4) vectors of 16 bytes of every frame on
// their way at once.
void read_and_write(std::span<const std::byte* const> frames, std::byte* to, std::size_t bytes,
                    int vectors, CudaStream stream);

}  // namespace vidconv::bench
