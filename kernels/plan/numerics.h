// The version of the numeric promise of docs/numerics.md.
#pragma once

namespace vidconv {

// Changes when, and only when, the bytes of any filter change: tests/judge/numerics_test.py holds
// it to a table of digests.
inline constexpr int numerics_version = 1;

}  // namespace vidconv
