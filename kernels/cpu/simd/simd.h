// The instruction sets of the CPU variants: which are there, which are used.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace vidconv {

// One bit per instruction set, as Highway numbers them.
using SimdLevel = std::int64_t;

inline constexpr SimdLevel every_simd_level = -1;

// Throws std::runtime_error on a processor that this build has no code for: one that is for the
// processor at hand was taken elsewhere.
void require_simd();

// Returns the levels that this build has code for and this machine can run, best first; never
// empty.
std::vector<SimdLevel> simd_levels();
// Returns the levels of simd_levels() that every variant has, but for variants of certain
// instructions.
std::vector<SimdLevel> engine_simd_levels();
// Those too that only some files have code for (VIDCONV_SCALABLE_VECTORS in targets.h); where one
// of them is forced, the others' code is that of the last of simd_levels().
std::vector<SimdLevel> all_simd_levels();
std::string_view simd_name(SimdLevel level);

// Whether one of `levels` is to be used: that this machine can run, or is forced. A variant asks
// before it takes a plan, with those that it has code for.
bool uses_simd(SimdLevel levels);

// For tests. From now on every CPU variant of the process uses `level`, or the best lesser one that
// it has code for; 0 goes back to the best one. Not while a variant runs.
void force_simd(SimdLevel level);

// For tests: the levels that have computed something since the last call.
SimdLevel take_used_simd();
// Called by each instruction set's code.
void note_used_simd(SimdLevel level);

}  // namespace vidconv
