// What a step's convolver gets: the planes of its components, in the order in which those of a
// pixel are computed together, and what it copies in passing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/convolver/convolver.h"
#include "kernels/picture/rect.h"
#include "pipeline/work/work.h"

namespace vidconv {

struct StepPlanes {
  std::vector<std::size_t> components;  // none where other steps copy them all in passing
  // What lies in the pixels of the first component and is copied with it: so many bytes from it.
  std::vector<std::ptrdiff_t> beside;
  // So many steps from this one on lie in the same pixels, from input to output: they take turns.
  std::size_t in_turn = 1;
};

// Of each step of `work`, of pictures of that width. A component that is only copied costs little
// where it lies in the pixels that another step computes, because they pass by there; alone, as
// much as all of the picture. `convolvers`: of the steps.
std::vector<StepPlanes> planes_of_steps(const Work& work, int width,
                                        const std::vector<const Convolver*>& convolvers);

// One step that is ready to run.
struct Turn {
  Convolver* convolver = nullptr;
  std::vector<PlanePair> pairs = {};
  bool is_done = false;
};

// Runs the steps so many rows at a time, where their convolvers can, so that each finds in a cache
// what the one before has brought there. `threads`: of the convolvers. On a CUDA device work is
// queued on `stream`.
void run_in_turn(std::span<Turn> turns, int threads, CudaStream stream);

// Replaces `pairs` by those of a step; `from(i)` and `to(i)` are the planes of component i. By
// field: the upper rows of all components, then the lower ones.
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
  }
}

}  // namespace vidconv
