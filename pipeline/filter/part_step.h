// PartStep: a step that acts on a part of the picture.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "kernels/convolver/convolver.h"
#include "kernels/picture/rect.h"
#include "pipeline/filter/processor.h"
#include "pipeline/filter/work.h"

namespace vidconv {

// Which part that is of the planes of a step, and how it is computed: windows around its rectangles
// are filtered beside the picture, and what they hold of the part is brought into it. For the CPU.
class PartStep {
 public:
  // Of a step that says where, in pictures of that format and size. Of the options threads and
  // second_opinion, with which windows are whole planes. Throws Error(filter_spec) where the part
  // does not lie in the picture.
  PartStep(const Step& step, const PixelFormat& format, int width, int height,
           const ProcessorOptions& options);

  // A component of the picture, the same of the result, and memory for as much.
  struct Planes {
    ConstBytePlane from;
    BytePlane to, beside;
  };
  // `convolver`: of the step's plan. Allocates nothing.
  void run(Convolver& convolver, std::span<const Planes> components, bool by_field);

 private:
  void run_part(Convolver& convolver, std::span<const Planes> components, std::size_t which);

  const Plan& plan_;
  const bool whole_windows_;
  // Of a plane, and of each of its fields: no sample twice.
  std::array<std::vector<Rect>, 3> parts_;
  std::unique_ptr<Convolver> copier_;
  std::vector<PlanePair> pairs_;
};

// One for each step of the work that acts on a part, nullptr for the others.
std::vector<std::unique_ptr<PartStep>> make_part_steps(const Work& work, int width, int height,
                                                       const ProcessorOptions& options);

// Throws Error(filter_spec) where a part does not lie in pictures of that size.
void check_parts(const Work& work, int width, int height);

}  // namespace vidconv
