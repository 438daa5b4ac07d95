// Spreads the rows of planes over threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/convolver/convolver.h"
#include "kernels/convolver/thread_pool.h"
#include "kernels/picture/plane.h"

namespace vidconv {

// All that there are.
inline constexpr RowRange all_rows{0, std::numeric_limits<int>::max()};

// The rows from `first` up to `last` of pairs of one size.
struct Band {
  std::span<const PlanePair> pairs;
  int first, last;
};

// How many bands to cut planes of `height` rows into, where a band reads `overlap` rows of its
// neighbours again. As many for each thread, so that none waits while others compute a last one;
// several, so that a thread that has its core to itself can take over from one that has not; not so
// many that the overlap matters.
inline int band_count(int threads, int height, int overlap) {
  if (threads == 1) return 1;
  const int wanted = height / (8 * overlap + 8);
  return threads * std::clamp((wanted + threads / 2) / threads, 1, 4);
}

// Calls group(pairs) for each group of them: so many of the first pairs that are left are computed
// together as together(what is left) says, at least one.
template <class Together, class Group>
void for_groups(std::span<const PlanePair> pairs, const Together& together, const Group& group) {
  while (!pairs.empty()) {
    const std::size_t count = together(pairs);
    group(pairs.first(count));
    pairs = pairs.subspan(count);
  }
}

// Calls job(band, thread) for each band of those rows of each group of pairs, none of them empty.
// Nothing is shared between bands, so the result depends neither on their number nor on the
// threads. `threads`: how many they are worth.
template <class Together, class Job>
void for_bands(ThreadPool& pool, std::span<const PlanePair> pairs, RowRange rows, int bands,
               int threads, const Together& together, const Job& job) {
  const auto run = [&](int index, int thread) {
    for_groups(pairs, together, [&](std::span<const PlanePair> group) {
      const int height = group.front().dst.height, top = std::min(rows.first, height);
      const std::int64_t count = std::min(rows.last, height) - top;
      const int first = top + static_cast<int>(count * index / bands);
      const int last = top + static_cast<int>(count * (index + 1) / bands);
      if (first < last) job(Band{group, first, last}, thread);
    });
  };
  pool.run(bands, run, threads);
}

// How many samples those rows of the pairs have.
inline double samples_of(std::span<const PlanePair> pairs, RowRange rows) {
  double samples = 0;
  for (const PlanePair& pair : pairs)
    samples += static_cast<double>(pair.dst.width) *
               std::max(0, std::min(rows.last, pair.dst.height) - rows.first);
  return samples;
}

// Calls row(pair, y) for each row, where rows have nothing in common.
template <class Row>
void for_rows(ThreadPool& pool, std::span<const PlanePair> pairs, const Row& row) {
  const auto each = [](std::span<const PlanePair>) { return std::size_t{1}; };
  for_bands(pool, pairs, all_rows, pool.threads(), pool.threads(), each,
            [&](const Band& band, int) {
              for (int y = band.first; y < band.last; ++y) row(band.pairs.front(), y);
            });
}

}  // namespace vidconv
