// Fewer combinations where each change is tested (tests/run.sh), and all of them at night.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>

namespace vidconv::test {

// Returns whether VIDCONV_TEST_THINNING is set, which asks for fewer combinations.
inline bool thinned() { return std::getenv("VIDCONV_TEST_THINNING") != nullptr; }

// Returns whether a test of `count` shares takes share `i`: each where nothing is thinned,
// otherwise one, which is another one each day.
inline bool is_taken(std::size_t i, std::size_t count) {
  const auto day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  return !thinned() ||
         static_cast<std::size_t>(day.time_since_epoch().count()) % count == i % count;
}

}  // namespace vidconv::test
