// Taps in constant memory. Parameters of a launch lie there, so that each launch brings its own
// taps and filters do not disturb each other, as they would in one __constant__ array; in return
// there is room for 4 KiB with everything else, not for 64.
//
// All threads of a warp read the same tap at the same time, which is what the constant cache is
// made for: one read serves the warp, and the path to global memory is left to the samples.
#pragma once

#include "kernels/study/cuda/on_cuda.cuh"

namespace vidconv::study {

inline constexpr int constant_capacity = 800;

template <class T>
struct ConstantTaps {
  Sum<T> values[constant_capacity];

  ConstantTaps(const Plan& plan, Prefer prefer) : values{} {
    const std::vector<double> taps = lesson_taps(plan, prefer);
    std::ranges::transform(taps, values, [](double tap) { return static_cast<Sum<T>>(tap); });
  }
};

inline bool fits_constant(const Plan& plan, Prefer prefer) {
  return make_lesson(plan, prefer).taps <= constant_capacity;
}

}  // namespace vidconv::study
