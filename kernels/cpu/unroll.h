// Loops that are unrolled when they are compiled.
#pragma once

#include <type_traits>

namespace vidconv {

// Calls f(i) for i from `from` up to `to`. Each i is a constant, so that vectors in arrays are
// kept in registers; GCC 12 leaves those of ordinary loops in memory.
template <int from, int to, class F>
[[gnu::always_inline]] inline void unrolled(const F& f) {
  if constexpr (from < to) {
    f(std::integral_constant<int, from>());
    unrolled<from + 1, to>(f);
  }
}

}  // namespace vidconv
