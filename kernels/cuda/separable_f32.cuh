// What both kernels of cuda-separable-f32 are given.
#pragma once

#include <algorithm>

#include "kernels/cuda/batch.cuh"
#include "kernels/cuda/tile.cuh"
#include "kernels/plan/plan.h"

namespace vidconv::cuda {

// Travels by value as a launch parameter.
template <int size>
struct SeparableF32Work {
  Batch batch;
  Sampling sampling;
  int slabs;  // of a tile
  float offset;
  bool absolute;
  float row[size], column[size];
};

template <int size>
SeparableF32Work<size> separable_f32_work(const Plan& plan) {
  const auto narrow = [](double tap) { return static_cast<float>(tap); };
  SeparableF32Work<size> work{};
  work.sampling = sampling_of(plan);
  work.offset = static_cast<float>(plan.finish.real_offset);
  work.absolute = plan.finish.absolute;
  std::ranges::transform(plan.terms[0].row, work.row, narrow);
  std::ranges::transform(plan.terms[0].column, work.column, narrow);
  return work;
}

}  // namespace vidconv::cuda
