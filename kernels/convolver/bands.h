// Spreads the rows of planes over threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include "kernels/convolver/convolver.h"
#include "kernels/convolver/thread_pool.h"
#include "kernels/picture/plane.h"

namespace vidconv {

// Every row of a plane of any height.
inline constexpr RowRange all_rows{0, std::numeric_limits<int>::max()};

// The rows from `first` up to (not including) `last` of pairs of one size.
struct Band {
  std::span<const PlanePair> pairs;
  int first, last;
};

// How planes are cut into bands: in rounds of one band for each thread. Each round takes half of
// the rows that are left, the last one all of them. Large bands come first, because each reads rows
// of its neighbours again; small ones are left for threads that are ready while others, which began
// late or share their core, are not.
struct Cut {
  int threads = 1;
  int rounds = 1;
  int unit = 1;  // rows computed together: bands of two units and more begin at multiples of it

  int bands() const { return threads * rounds; }
  // Returns the row at which this band begins in a plane of `rows` rows; edge(rows, bands()) is
  // `rows`.
  int edge(int rows, int band) const;
};

// Returns the cut of planes of `height` rows whose bands should have at least `least` rows.
Cut cut_for(int threads, int height, int least, int unit);

// Calls group(pairs) for groups of pairs, in order. together(rest) says how many of the first pairs
// of the rest are computed together, at least one.
template <class Together, class Group>
void for_groups(std::span<const PlanePair> pairs, const Together& together, const Group& group) {
  while (!pairs.empty()) {
    const std::size_t count = together(pairs);
    group(pairs.first(count));
    pairs = pairs.subspan(count);
  }
}

// Calls job(band, thread) for each band of these rows in each group of pairs; no band is empty.
// Bands share nothing, so the result depends neither on their number nor on the threads.
template <class Together, class Job>
void for_bands(ThreadPool& pool, std::span<const PlanePair> pairs, RowRange rows, const Cut& cut,
               const Together& together, const Job& job) {
  const auto run = [&](int index, int thread) {
    for_groups(pairs, together, [&](std::span<const PlanePair> group) {
      const int height = group.front().dst.height, top = std::min(rows.first, height);
      const int count = std::max(0, std::min(rows.last, height) - top);
      const int first = top + cut.edge(count, index), last = top + cut.edge(count, index + 1);
      if (first < last) job(Band{group, first, last}, thread);
    });
  };
  pool.run(cut.bands(), run, cut.threads);
}

// Returns the number of samples in these rows of all pairs.
inline double samples_of(std::span<const PlanePair> pairs, RowRange rows) {
  double samples = 0;
  for (const PlanePair& pair : pairs)
    samples += static_cast<double>(pair.dst.width) *
               std::max(0, std::min(rows.last, pair.dst.height) - rows.first);
  return samples;
}

// Calls row(pair, y) for each row of each pair; for rows that have nothing in common.
template <class Row>
void for_rows(ThreadPool& pool, std::span<const PlanePair> pairs, const Row& row) {
  const auto each = [](std::span<const PlanePair>) { return std::size_t{1}; };
  for_bands(pool, pairs, all_rows, {.threads = pool.threads()}, each, [&](const Band& band, int) {
    for (int y = band.first; y < band.last; ++y) row(band.pairs.front(), y);
  });
}

}  // namespace vidconv
