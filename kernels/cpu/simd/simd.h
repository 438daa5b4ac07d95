// The instruction sets of the CPU variants: which there are, and which are used.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace vidconv {

// One bit per instruction set, as Highway numbers them.
using SimdLevel = std::int64_t;

inline constexpr SimdLevel every_simd_level = -1;

// Throws std::runtime_error on a processor that this build has no code for: a build for the
// processor at hand was taken elsewhere.
void require_simd();

// Returns the levels that this build has code for and this machine can run, best first; never
// empty.
std::vector<SimdLevel> simd_levels();
// Returns the levels of simd_levels() that all variants have code for, except those of certain
// instructions.
std::vector<SimdLevel> engine_simd_levels();
// Returns also the levels that only some files have code for (VIDCONV_SCALABLE_VECTORS in
// targets.h). Where one of them is forced, the other files use the last of simd_levels().
std::vector<SimdLevel> all_simd_levels();
std::string_view simd_name(SimdLevel level);

// Whether one of `levels` is in use: can run on this machine, or is forced. A variant asks this of
// the levels that it has code for, before it takes a plan.
bool uses_simd(SimdLevel levels);

// For tests: makes every CPU variant of the process use `level` from now on, or the best lesser one
// that it has code for; 0 goes back to the best one. Must not be called while a variant runs.
void force_simd(SimdLevel level);

// For tests: returns the levels that have computed something since the last call.
SimdLevel take_used_simd();
// Called by each instruction set's code.
void note_used_simd(SimdLevel level);

}  // namespace vidconv
