// StepPlanes lists the planes that a step's convolver gets, in the order in which the components of
// a pixel are computed together, and what it copies in passing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "kernels/convolver/convolver.h"
#include "kernels/convolver/weighted_pairs.h"
#include "kernels/picture/rect.h"
#include "pipeline/work/work.h"

namespace vidconv {

struct StepPlanes {
  std::vector<std::size_t> components;  // none if other steps copy them all in passing
  // Samples in the first component's pixels that are copied with it: their distances from it in
  // bytes.
  std::vector<std::ptrdiff_t> beside;
  // The component that the others count by, which is only read.
  std::optional<std::size_t> weights = {};
  // Number of steps from this one on that take turns: they share pixels, from input to output.
  std::size_t in_turn = 1;
};

// Returns the planes of each step of `work`, for pictures of that width. A component that is only
// copied costs little in pixels that another step computes, which are loaded anyway; alone it costs
// as much as the whole picture. `convolvers`: the steps'.
std::vector<StepPlanes> planes_of_steps(const Work& work, int width,
                                        const std::vector<const Convolver*>& convolvers);

// A step that is ready to run.
struct Turn {
  Convolver* convolver = nullptr;
  std::vector<PlanePair> pairs = {};
  bool is_done = false;
};

// Runs the steps in turn on some rows at a time, where their convolvers can, so that each finds in
// a cache what the one before has loaded. `threads`: the convolvers' threads. On a CUDA device the
// work is queued on `stream`.
void run_in_turn(std::span<Turn> turns, int threads, CudaStream stream);

// Replaces `pairs` with a step's; `from(i)` and `to(i)` return the planes of component i.
// `by_field`: first the upper field of all components, then the lower. Weights come behind each.
template <class From, class To>
void set_pairs(const StepPlanes& planes, const From& from, const To& to, bool by_field,
               std::vector<PlanePair>& pairs) {
  pairs.clear();
  const auto add = [&](PlanePair pair, int field) {
    if (by_field) pair = {field_of(pair.src, field), field_of(pair.dst, field), pair.copied};
    if (pair.dst.height > 0) pairs.push_back(pair);
  };
  for (int field = 0; field < (by_field ? 2 : 1); ++field) {
    for (const std::size_t i : planes.components) add({from(i), to(i)}, field);
    for (const std::ptrdiff_t bytes : planes.beside) {
      PlanePair pair{from(planes.components.front()), to(planes.components.front()), true};
      pair.src.data += bytes;
      pair.dst.data += bytes;
      add(pair, field);
    }
    if (planes.weights) {
      const ConstBytePlane weights = from(*planes.weights);
      pairs.push_back(as_weights(by_field ? field_of(weights, field) : weights));
    }
  }
}

}  // namespace vidconv
