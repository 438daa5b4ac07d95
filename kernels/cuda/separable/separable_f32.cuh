// The launch parameters of the kernels of cuda-separable-f32 and its kin.
#pragma once

#include <cstddef>

#include "kernels/cuda/common/arith.cuh"
#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/real_finish.cuh"
#include "kernels/cuda/common/tile.cuh"
#include "kernels/plan/own_tap.h"
#include "kernels/plan/plan.h"

namespace vidconv::cuda {

// Passed by value as a launch parameter. Taps are centred, and filled up with zeros.
template <class Arith, int size>
struct SeparableWork {
  using Value = typename Arith::Value;
  Batch batch;
  PixelSampling sampling;
  int slabs;  // slabs of a tile
  RealFinish real;
  Finish finish;              // finish of integers,
  int row_shift, row_rounds;  // whose row sums are shifted after row_rounds has been added
  unsigned kept;              // Plan::kept
  Value row[size], column[size];
  Value own;  // own_tap(), where there is one
};
template <int size>
using SeparableF32Work = SeparableWork<OrderedFloat, size>;

// Says whether plans in floats with `size` taps may have an own tap.
template <class Arith, int size>
constexpr bool takes_own_tap = size >= 5 && Arith::ordered;

// Returns whether a plan is two passes, with an own tap or without one.
inline bool is_passes(const Plan& plan) {
  return plan.terms.size() == 1 || (own_tap(plan) && plan.terms[0].reach() >= 2);
}

// Takes every `apart`-th of the plan's row taps; the others are zeros.
template <class Arith, int size>
SeparableWork<Arith, size> separable_work(const Plan& plan, int apart = 1) {
  SeparableWork<Arith, size> work{};
  using Value = typename Arith::Value;
  work.sampling = pixel_sampling_of(plan);
  work.real = real_finish_of(plan);
  work.finish = plan.finish;
  work.kept = plan.kept;
  work.own = static_cast<Value>(own_tap(plan).value_or(0));
  const Taps& t = plan.terms[0];
  work.row_shift = t.row_shift, work.row_rounds = 1 << t.row_shift >> 1;
  for (int i = 0; i < t.width; i += apart)
    work.row[size / 2 + (i - t.anchor_x) / apart] =
        static_cast<Value>(t.row[static_cast<std::size_t>(i)]);
  for (std::size_t j = 0; j < t.column.size(); ++j)
    work.column[static_cast<std::size_t>(size / 2 - t.anchor_y) + j] =
        static_cast<Value>(t.column[j]);
  return work;
}

}  // namespace vidconv::cuda
