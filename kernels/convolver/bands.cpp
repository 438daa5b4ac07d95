#include "kernels/convolver/bands.h"

#include <cstdint>

namespace vidconv {

int Cut::edge(int rows, int band) const {
  if (band >= bands()) return rows;
  const int round = band / threads, left = rows >> round;
  const int after = round + 1 < rounds ? left / 2 : 0;
  const int edge =
      rows - left + static_cast<int>(std::int64_t{left - after} * (band % threads) / threads);
  const int smallest = (rows >> (rounds - 1)) / threads;
  if (smallest < 2 * unit) return edge;  // else some bands would have twice the rows of others
  return (edge + unit / 2) / unit * unit;
}

Cut cut_for(int threads, int height, int least, int unit) {
  int rounds = 1;
  if (threads > 1)
    while (rounds < 3 && (height >> rounds) / threads >= std::max(least, unit)) ++rounds;
  return {.threads = threads, .rounds = rounds, .unit = unit};
}

}  // namespace vidconv
