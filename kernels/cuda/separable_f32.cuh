// What the kernels of cuda-separable-f32 and its kin are given.
#pragma once

#include <cstddef>

#include "kernels/cuda/batch.cuh"
#include "kernels/cuda/real_finish.cuh"
#include "kernels/cuda/tile.cuh"
#include "kernels/plan/plan.h"

namespace vidconv::cuda {

// Travels by value as a launch parameter. Taps are centred; what they do not fill is zeros.
template <int size>
struct SeparableF32Work {
  Batch batch;
  Sampling sampling;
  int slabs;  // of a tile
  RealFinish finish;
  float row[size], column[size];
};

template <int size>
SeparableF32Work<size> separable_f32_work(const Plan& plan) {
  SeparableF32Work<size> work{};
  work.sampling = sampling_of(plan);
  work.finish = real_finish_of(plan);
  const Taps& t = plan.terms[0];
  for (std::size_t i = 0; i < t.row.size(); ++i)
    work.row[static_cast<std::size_t>(size / 2 - t.anchor_x) + i] = static_cast<float>(t.row[i]);
  for (std::size_t j = 0; j < t.column.size(); ++j)
    work.column[static_cast<std::size_t>(size / 2 - t.anchor_y) + j] =
        static_cast<float>(t.column[j]);
  return work;
}

}  // namespace vidconv::cuda
