// cuda-separable-f32, -long and cuda-separable-u16 where bulk copies can load the rows (sm_90).
//
// A thread makes the row sums of adjacent samples and adds each at once to the `size` outputs it
// belongs to, which it keeps in registers: row by row they move up by one, and the uppermost is
// complete. So the terms of a sum come from top to bottom, as docs/numerics.md demands.
#pragma once

#include "kernels/cuda/common/arith.cuh"
#include "kernels/cuda/common/bulk_or_other.cuh"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device.h"
#include "kernels/cuda/common/kept_rows.cuh"
#include "kernels/cuda/common/pixel_taps.h"
#include "kernels/cuda/common/stream.cuh"
#include "kernels/cuda/common/tuning.h"
#include "kernels/cuda/common/warp_rows.cuh"
#include "kernels/cuda/separable/separable_f32.cuh"
#include "kernels/plan/own_tap.h"

namespace vidconv::cuda {

// `apart` is the number of columns from one tap of a row to the next, one more than zeros between.
template <class T, class Arith, int size, int apart = 1>
using SeparableRows =
    BulkRows<T, size / 2,
             apart == 1 && size <= 17 ? sm90::separable_f32_bulk : sm90::separable_f32_bulk_long,
             typename Arith::Value, size / 2 * apart>;

// A thread's work on some rows of a slab: they are loaded, summed along the rows, added to the
// columns, and stored.
template <class T, class Arith, int size, int apart>
struct RowGroup {
  static constexpr int half = size / 2;
  using S = SeparableRows<T, Arith, size, apart>;
  static_assert(size % 2 == 1 && S::columns == 2);
  // A thread's outputs need the samples [reach, window) from where its columns of the slab begin.
  static constexpr int reach = S::margin - S::aside, window = S::columns + S::margin + S::aside;
  static constexpr int first = reach / S::columns * S::columns;
  static constexpr int last = (window + S::columns - 1) / S::columns * S::columns;

  using Value = typename Arith::Value;
  using Kept = KeptRows<apart == components_with_alpha, S::rows>;
  Value samples[S::rows][last], sum[S::rows][S::columns], complete[S::rows][S::columns];

  static constexpr bool is_needed(int i) { return is_under_tap(i, reach, S::columns, size, apart); }

  __device__ void load(SharedAddress from) {
#pragma unroll
    for (int r = 0; r < S::rows; ++r) {
#pragma unroll
      for (int i = first; i < last; i += S::columns)
        if (is_needed(i) || is_needed(i + 1))
          load_values(samples[r] + i, from + static_cast<unsigned>(r * S::values_pitch + i) * 4);
    }
  }

  __device__ void sum_rows(const Value (&taps)[size], const SeparableWork<Arith, size>& work) {
#pragma unroll
    for (int r = 0; r < S::rows; ++r) {
#pragma unroll
      for (int c = 0; c < S::columns; ++c) sum[r][c] = Arith::ordered ? 0 : work.row_rounds;
#pragma unroll
      for (int i = 0; i < size; ++i)
#pragma unroll
        for (int c = 0; c < S::columns; ++c)
          sum[r][c] = multiply_add(taps[i], samples[r][reach + i * apart + c], sum[r][c]);
      if constexpr (!Arith::ordered) {
#pragma unroll
        for (int c = 0; c < S::columns; ++c) sum[r][c] >>= work.row_shift;
      }
    }
  }

  // Adds row sums to the outputs. total[i] lacks i of its terms; total[0] is not kept.
  __device__ void add_columns(Value (&total)[size][S::columns], const Value (&taps)[size]) {
#pragma unroll
    for (int r = 0; r < S::rows; ++r) {
#pragma unroll
      for (int c = 0; c < S::columns; ++c)
        complete[r][c] = multiply_add(taps[size - 1], sum[r][c], total[1][c]);
#pragma unroll
      for (int i = 1; i < size; ++i)
#pragma unroll
        for (int c = 0; c < S::columns; ++c)
          total[i][c] = multiply_add(taps[size - 1 - i], sum[r][c],
                                     i + 1 < size ? total[i + 1][c] : Value(0));
    }
  }

  // Adds the product of each output's own sample. `behind` has the samples of earlier rows whose
  // outputs are not complete yet.
  __device__ void add_own(Value tap, Value (&behind)[half][S::columns]) {
    const auto sample = [&](int row, int c) {  // row 0 is the first of these rows
      return row < 0 ? behind[half + row][c] : samples[row][reach + half * apart + c];
    };
#pragma unroll
    for (int r = 0; r < S::rows; ++r)
#pragma unroll
      for (int c = 0; c < S::columns; ++c)
        complete[r][c] = complete[r][c] + tap * sample(r - half, c);
#pragma unroll
    for (int i = 0; i < half; ++i)
#pragma unroll
      for (int c = 0; c < S::columns; ++c) behind[i][c] = sample(S::rows + i - half, c);
  }

  // Stores rows from output number `output` on, of which there are `limit`, at `to` and below; both
  // move on. Samples are made even if they are not stored: a condition around that would keep rows
  // from overlapping.
  __device__ void store(std::byte*& to, std::ptrdiff_t stride, int& output, unsigned limit,
                        const SeparableWork<Arith, size>& work, const Kept& kept) const {
    PairOf<T> pair[S::rows];
#pragma unroll
    for (int r = 0; r < S::rows; ++r) {
      if constexpr (Arith::ordered)
        pair[r] = finish_pair<T>(complete[r][0], complete[r][1], work.real, work.finish.absolute,
                                 work.sampling.shift);
      else
        pair[r] = finish_pair<T>(complete[r][0], complete[r][1], work.finish, work.sampling.shift);
    }
#pragma unroll
    for (int r = 0; r < S::rows; ++r, ++output, to += stride)
      if (static_cast<unsigned>(output) < limit)
        *reinterpret_cast<PairOf<T>*>(to) = kept.with(pair[r], r);
  }
};

// `own` says whether the sample itself has a tap beside the passes.
template <class T, class Arith, int size, int apart, bool own>
__global__ void __launch_bounds__(SeparableRows<T, Arith, size, apart>::threads, 2)
    separable_bulk_kernel(const __grid_constant__ SeparableWork<Arith, size> work) {
#if __CUDA_ARCH__ >= 900
  using S = SeparableRows<T, Arith, size, apart>;
  walk_down<S>(work.batch, work.sampling, work.slabs,
               [&](WarpRows<S>& slab_rows, const Tile& tile, int outputs, int slabs) {
                 const Plane<T> dst = tile.pair.dst.as<T>();
                 const int x = tile.x + static_cast<int>(threadIdx.x) * S::columns;
                 const auto limit = static_cast<unsigned>(x < dst.width ? outputs : 0);
                 typename Arith::Value row_taps[size], column_taps[size];
#pragma unroll
                 for (int i = 0; i < size; ++i)
                   row_taps[i] = work.row[i], column_taps[i] = work.column[i];
                 typename Arith::Value total[size][S::columns] = {};
                 [[maybe_unused]] typename Arith::Value behind[size / 2][S::columns] = {};
                 int output = 1 - size;  // the output that the next row completes
                 auto* to = reinterpret_cast<std::byte*>(dst.row(tile.y + output) + x);
                 __builtin_assume(__isGlobal(to));  // so that stores are compiled for global memory
                 using Rows = RowGroup<T, Arith, size, apart>;
                 typename Rows::Kept kept(tile.pair.src, x, tile.y + output, work.kept);
#pragma unroll 1
                 for (; slabs > 0; --slabs) {
                   SharedAddress from = slab_rows.next();
#pragma unroll 1
                   for (int at = 0; at < S::slab_rows;
                        at += S::rows, from += S::rows * S::values_pitch * 4) {
                     Rows rows;
                     kept.load(output, limit);
                     rows.load(from);
                     rows.sum_rows(row_taps, work);
                     rows.add_columns(total, column_taps);
                     if constexpr (own) rows.add_own(work.own, behind);
                     rows.store(to, dst.stride, output, limit, work, kept);
                   }
                   slab_rows.done();
                 }
               });
#else
  __trap();  // BulkKernel does not launch this
#endif
}

// Returns the kernel of a plan, for the planes that it can take; `name` is the variant's.
template <class T, class Arith, int size, int apart = 1>
auto separable_bulk(const char* name, const Plan& plan) {
  auto kernel = separable_bulk_kernel<T, Arith, size, apart, false>;
  if constexpr (takes_own_tap<Arith, size> && apart == 1)
    if (own_tap(plan)) kernel = separable_bulk_kernel<T, Arith, size, apart, true>;
  return BulkKernel<SeparableRows<T, Arith, size, apart>, SeparableWork<Arith, size>>(
      name, kernel, plan, separable_work<Arith, size>(plan, apart), size,
      sm90::separable_f32_bulk_strips);
}

}  // namespace vidconv::cuda
