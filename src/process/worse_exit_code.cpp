#include "src/process/worse_exit_code.h"

#include <algorithm>

namespace vidconv {

int worse_exit_code(int a, int b) {
  constexpr int from_the_best[] = {0, 7, 3, 4, 2, 5, 6, 1};
  const auto badness = [&](int code) { return std::ranges::find(from_the_best, code); };
  return badness(a) >= badness(b) ? a : b;  // signals rank worst
}

}  // namespace vidconv
