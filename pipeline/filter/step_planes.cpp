#include "pipeline/filter/step_planes.h"

#include <algorithm>

#include "kernels/convolver/packed.h"

namespace vidconv {
namespace {

bool is_whole_way(const Step& step) {
  return step.from == Place::input && step.to == Place::output && !step.where && !step.light;
}

// Returns the planes of the step that only copies the component; nullptr if there is none.
StepPlanes* copy_of(const Work& work, std::size_t component, std::vector<StepPlanes>& planes) {
  for (std::size_t s = 0; s < work.steps.size(); ++s)
    if (work.steps[s].action == Action::copy && is_whole_way(work.steps[s]) &&
        std::ranges::count(planes[s].components, component) > 0)
      return &planes[s];
  return nullptr;
}

// Makes step `s` copy all that lies beside its components and is to be copied.
void take_what_is_beside(const Work& work, std::size_t s, int width,
                         std::vector<StepPlanes>& planes) {
  const PixelFormat& format = *work.format;
  const Component& first = format.components[planes[s].components.front()];
  if (first.step < 2 || first.step > most_packed) return;
  const auto place_of = [&](const Component& c) {
    return c.offset / c.sample.bytes() % first.step;
  };
  std::vector<std::size_t> others;
  std::vector<bool> taken(static_cast<std::size_t>(first.step));
  for (std::size_t i = 0; i < format.components.size(); ++i) {
    const Component& c = format.components[i];
    if (c.plane != first.plane || format.width_of(c, width) == 0) continue;
    // A row of 4:2:2 that ends in half a pair of pixels has bytes beyond all of these.
    if (c.step * format.width_of(c, width) != first.step * format.width_of(first, width)) return;
    if (std::ranges::count(planes[s].components, i) > 0) {
      taken[static_cast<std::size_t>(place_of(c))] = true;
      continue;
    }
    // In passing codes are copied; steps of their own copy floats, and bits below a code.
    if (copy_of(work, i, planes) == nullptr || c.sample.bytes() != first.sample.bytes() ||
        c.sample.shift != 0 || c.sample.storage == Storage::f32)
      return;
    others.push_back(i);
  }
  for (const std::size_t i : planes[s].components)
    if (format.components[i].plane != first.plane) return;
  for (const std::size_t i : others) std::erase(copy_of(work, i, planes)->components, i);
  for (int place = 0; !others.empty() && place < first.step; ++place)
    if (!taken[static_cast<std::size_t>(place)])
      planes[s].beside.push_back(std::ptrdiff_t{place - place_of(first)} * first.sample.bytes());
}

// Returns how many steps from `first` on may take turns: consecutive steps whose components lie
// side by side in one plane, and none of which reads what another has written.
std::size_t steps_in_turn(const Work& work, const std::vector<StepPlanes>& planes,
                          std::size_t first) {
  const auto plane_of = [&](std::size_t s) {
    if (!is_whole_way(work.steps[s]) || planes[s].components.empty()) return -1;
    const Component& c = work.format->components[planes[s].components.front()];
    return c.step > 1 ? c.plane : -1;
  };
  std::size_t last = first + 1;
  while (last < planes.size() && plane_of(last) >= 0 && plane_of(last) == plane_of(first)) ++last;
  return last - first;
}

}  // namespace

std::vector<StepPlanes> planes_of_steps(const Work& work, int width,
                                        const std::vector<const Convolver*>& convolvers) {
  std::vector<StepPlanes> planes;
  for (const Step& step : work.steps) {
    planes.push_back({step.components, {}, step.weights});
    // Rows that need no padding have padding components of width 0.
    std::erase_if(planes.back().components, [&](std::size_t i) {
      return work.format->width_of(work.format->components[i], width) == 0;
    });
  }
  for (std::size_t s = 0; s < work.steps.size(); ++s)
    if (is_whole_way(work.steps[s]) && !planes[s].components.empty() &&
        convolvers[s]->copies_in_passing())
      take_what_is_beside(work, s, width, planes);
  for (std::size_t s = 0; s < planes.size(); ++s)
    planes[s].in_turn = steps_in_turn(work, planes, s);
  return planes;
}

void run_in_turn(std::span<Turn> turns, int threads, CudaStream stream) {
  // A few megabytes of 4K: more than a second-level cache holds, but so many rows that those which
  // a kernel reads beyond them cost little.
  const int rows = 128 * threads;
  int height = 0;
  for (Turn& turn : turns) {
    turn.is_done = turn.pairs.empty();
    for (const PlanePair& pair : turn.pairs) height = std::max(height, pair.dst.height);
  }
  for (int first = 0; first < height; first += rows)
    for (Turn& turn : turns) {
      if (turn.is_done) continue;
      const bool in_turn = turns.size() > 1 && height > rows;
      if (in_turn && turn.convolver->run_rows(turn.pairs, {first, first + rows})) continue;
      turn.convolver->run(turn.pairs, stream);
      turn.is_done = true;
    }
}

}  // namespace vidconv
