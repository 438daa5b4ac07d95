// A strip of a plane that passes through shared memory from top to bottom, a slab of rows at a
// time: while a block computes with some slabs, the copies of the next ones are under way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/cuda/common/tile.cuh"
#include "kernels/cuda/common/tuning.h"

namespace vidconv::cuda {

// Returns how many slabs of `rows` rows strips of `width` columns should have, where the first
// `lost` rows give no outputs.
inline int best_slabs(std::span<const PlanePair> pairs, int width, int rows, int lost,
                      int multiprocessors, const StripCost& cost) {
  const int first = lost / rows + 1;
  int best = first;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int slabs = first; slabs <= cost.most; ++slabs) {
    std::int64_t blocks = 0;
    const int height = slabs * rows - lost;
    for (const PlanePair& p : pairs)
      blocks +=
          std::int64_t{(p.dst.width + width - 1) / width} * ((p.dst.height + height - 1) / height);
    const std::int64_t each = (blocks + multiprocessors - 1) / multiprocessors;
    const std::int64_t late = each % cost.at_once;
    const std::int64_t load =
        2 * (each - late) + (late > 0 ? std::max<std::int64_t>(2 * late, cost.busy) : 0);
    const std::int64_t time = load * (slabs + cost.overhead);
    if (time >= least) continue;
    least = time;
    best = slabs;
  }
  return best;
}

// Fills a slab of `rows` rows from row y of a plane that is aligned to 16 bytes, except for the
// columns outside. Not inlined, because only the first and last slabs of a plane need it.
template <class T, int pitch, int rows>
__device__ __noinline__ void copy_slab_at_edge(T* slab, int x0, int y, Plane<const T> src,
                                               Sampling sampling) {
  constexpr int n = vector_samples<T>;
  const unsigned outside = word_of_outside<T>(sampling);
  for_grid(pitch / n, rows, [&](int row, int vector) {
    const int x = x0 + vector * n;
    const int beyond = max(x + n - src.width, 0);  // samples
    if (x < 0 || beyond >= n) return;
    T* const to = slab + row * pitch + vector * n;
    const int v = border_index(sampling.border, y + row, src.height);
    if (v < 0)
      *reinterpret_cast<uint4*>(to) = make_uint4(outside, outside, outside, outside);
    else
      __pipeline_memcpy_async(to, src.row(v) + x, 16, beyond * sizeof(T));
  });
}

// A ring of `depth` slabs of `rows` rows of `width` samples with a `margin` on both sides, `pitch`
// apart. Outside the plane only the next `reach` columns and rows are defined. All `threads`
// threads of a block call every function.
template <class T, int width, int margin, int pitch, int rows, int reach, int depth, int threads>
class Stream {
 public:
  static constexpr int slab = rows * pitch;  // samples
  static constexpr int bytes = depth * slab * static_cast<int>(sizeof(T));

  // Starts copying `slabs` slabs, whose first sample is (x0, y0) of `src`; x0 is a multiple of
  // vector_samples<T>. `ring` is aligned to 16 bytes.
  __device__ Stream(T* ring, int x0, int y0, int slabs, const Plane<const T>& src,
                    const Sampling& sampling)
      : ring_(ring), src_(src), sampling_(sampling), x0_(x0), y_(y0), left_(slabs) {
    from_ = src.row(y0) + x0;
    whole_ = x0 + all <= src.width || src.width % n == 0;
    edges_ = x0 < 0 || x0 + all > src.width;
    any_ = !is_aligned(src, 16) || (edges_ && !edges_lie_in_slab());
#pragma unroll 1
    for (int i = 0; i + 1 < depth; ++i) copy();
  }

  // Returns the next slab, complete. It stays until the next call, which waits for all threads.
  __device__ const T* next() {
    __pipeline_wait_prior(depth - 2);
    __syncthreads();
    T* const current = ring_ + in_use_;
    if (edges_ && !any_) {
      fill_edges(current);
      __syncthreads();
    }
    in_use_ = after(in_use_);
    copy();
    return current;
  }

 private:
  static constexpr int n = vector_samples<T>, all = width + 2 * margin;
  static_assert(width % n == 0 && margin % n == 0 && pitch % n == 0 && depth >= 2 &&
                !std::is_same_v<T, std::uint16_t>);

  static __device__ int after(int place) { return place == (depth - 1) * slab ? 0 : place + slab; }

  __device__ bool in_slab(int x) const {
    const int u = border_index(sampling_.border, x, src_.width);
    return u < 0 || (u >= x0_ && u < x0_ + all);
  }
  // Returns whether columns outside have the values of columns of their slab. Between the outermost
  // and the innermost one, indices rise or fall steadily, unless the plane is narrow.
  __device__ bool edges_lie_in_slab() const {
    if (src_.width <= reach) return x0_ <= 0 && x0_ + all >= src_.width;
    return (x0_ >= 0 || (in_slab(-reach) && in_slab(-1))) &&
           (x0_ + all <= src_.width || (in_slab(src_.width) && in_slab(src_.width + reach - 1)));
  }

  // Starts copying the next slab, in place of the one before.
  __device__ void copy() {
    T* const to = ring_ + filled_;
    if (left_ < 1) {
      // Nothing is copied, but the groups of copies are counted.
    } else if (any_) {
      // These are copies, because arguments passed by reference have to lie in memory.
      const Piece piece{x0_, y_, pitch, rows, reach, reach, reach};
      const Plane<const T> src = src_;
      const Sampling sampling = sampling_;
      call_load_any_tile(to, piece, src, sampling);
    } else if (whole_ && y_ >= 0 && y_ + rows <= src_.height) {
      // The margins are copied apart, so that eight lanes read a line of 128 bytes where rows begin
      // with one, not parts of two: the L2 cache answers half as many requests.
      copy_vectors<width / n>(to, [](int i) { return margin / n + i; });
      copy_vectors<2 * margin / n>(to, [](int i) { return i < margin / n ? i : width / n + i; });
    } else {
      copy_slab_at_edge<T, pitch, rows>(to, x0_, y_, src_, sampling_);
    }
    __pipeline_commit();
    filled_ = after(filled_);
    from_ = below(from_, rows);
    y_ += rows;
    --left_;
  }

  __device__ const T* below(const T* sample, int by) const {
    return reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(sample) +
                                      static_cast<std::uintptr_t>(src_.stride * by));
  }

  // Copies vectors column_of(0), column_of(1), ... column_of(count - 1) of each row.
  template <int count, class ColumnOf>
  __device__ void copy_vectors(T* to, ColumnOf column_of) const {
    constexpr int rows_at_once = threads / count;
    const int row = thread_index() / count;
    const int column = column_of(thread_index() % count) * n;
    if (row >= rows_at_once || x0_ + column < 0 || x0_ + column >= src_.width) return;
    const T* from = below(from_ + column, row);
#pragma unroll
    for (int r = 0; r < rows; r += rows_at_once) {
      if (row + r < rows) __pipeline_memcpy_async(to + (row + r) * pitch + column, from, 16);
      from = below(from, rows_at_once);
    }
  }

  __device__ void fill_edges(T* slab_of) const {
    for (int i = thread_index(); i < rows * reach; i += threads) {
      T* const row = slab_of + i / reach * pitch - x0_;
      const int left = -1 - i % reach, right = src_.width + i % reach;
      if (x0_ < 0) fill(row, left);
      if (right < x0_ + all) fill(row, right);
    }
  }
  __device__ void fill(T* row, int x) const {
    const int u = border_index(sampling_.border, x, src_.width);
    row[x] = u < 0 ? static_cast<T>(sampling_.outside) : row[u];
  }

  T* ring_;
  Plane<const T> src_;
  Sampling sampling_;
  int x0_, y_, left_;  // the next slab's first sample; slabs left to copy
  const T* from_;      // the next slab's first sample, where that lies in the plane
  // No vector of a slab lies partly in the plane; slabs reach beyond the left or right; slabs are
  // filled by load_any_tile().
  bool whole_, edges_, any_;
  int in_use_ = 0, filled_ = 0;  // the next places in the ring, in samples
};

}  // namespace vidconv::cuda
