// Converts rows of half floats, with the bytes of kernels/picture/half.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vidconv {

// Thread-safe. The rows do not overlap.
void floats_of_halves(const std::uint16_t* halves, float* floats, std::size_t count);
void halves_of_floats(const float* floats, std::uint16_t* halves, std::size_t count);

}  // namespace vidconv
