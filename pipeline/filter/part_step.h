// PartStep: a step that acts on a part of the picture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/convolver/convolver.h"
#include "kernels/convolver/thread_pool.h"
#include "kernels/picture/rect.h"
#include "kernels/picture/weights.h"
#include "pipeline/filter/boxes.h"
#include "pipeline/filter/edge_mask.h"
#include "pipeline/filter/processor.h"
#include "pipeline/filter/work.h"

namespace vidconv {

// Which part that is of the planes of a step, and how it is computed: windows around its rectangles
// are filtered beside the picture, and what they hold of the part is brought into it, or as much of
// it as the part's weights say. For the CPU.
class PartStep {
 public:
  // Of a step of `work` that says where, in pictures of that size. Of the options threads and
  // second_opinion, with which windows are whole planes. Throws Error(filter_spec) where the part
  // does not lie in the picture.
  PartStep(const Work& work, const Step& step, int width, int height,
           const ProcessorOptions& options);

  // Before run(): the frame that is next, whose boxes count where the step acts in boxes.
  void set_frame(const Frame& frame);
  // The same of a mask that is made of each picture, of which these are the components, unfiltered.
  void set_picture(std::span<const ConstBytePlane> components, bool by_field);

  // A component of the picture, the same of the result, and memory for as much.
  struct Planes {
    ConstBytePlane from;
    BytePlane to, beside;
  };
  // `convolver`: of the step's plan.
  void run(Convolver& convolver, std::span<const Planes> components, bool by_field);

  std::size_t bytes() const;  // of the weights

  // Adds the rectangles outside of which nothing of a plane is changed: of a whole plane (0), or of
  // one of its fields (1, 2).
  void add_rects(std::size_t which, std::vector<Rect>& rects) const;

 private:
  struct Piece {
    Rect rect;
    Plane<const std::uint8_t> weights{};  // of its samples; without data where all are 255
  };
  // Of a plane, and of each of its fields. No sample is in two pieces.
  using Pieces = std::array<std::vector<Piece>, 3>;

  void set_rects(std::span<const Rect> pixels);
  // Of the pixels of `area`, which begins at multiples of 8.
  void add_weights(const Weights& pixels, const Rect& area);
  void add_boxes();
  void run_part(Convolver& convolver, std::span<const Planes> components, std::size_t which);

  const Plan& plan_;
  const bool whole_windows_;
  const Subsampling subsampling_;
  const int width_, height_;                // of the picture
  int plane_width_ = 0, plane_height_ = 0;  // of the components
  Pieces pieces_;
  std::vector<Weights> weights_;  // that the pieces look at
  std::unique_ptr<Convolver> copier_;
  std::shared_ptr<ThreadPool> pool_;
  std::vector<PlanePair> pairs_;

  // Of a step with a mask of edges.
  const std::shared_ptr<const FilterSpec> where_;
  std::unique_ptr<EdgeMask> edges_;
  std::vector<Rect> limits_;

  // Of a step that acts in boxes.
  const std::shared_ptr<Boxes> boxes_;
  const BoxClock clock_;
  const std::size_t filter_;
  const Orientation shown_;
  std::vector<PlacedBox> placed_;  // of the frame that is next
};

// One for each step of the work that acts on a part, nullptr for the others.
std::vector<std::unique_ptr<PartStep>> make_part_steps(const Work& work, int width, int height,
                                                       const ProcessorOptions& options);

// Throws Error(filter_spec) where a part does not lie in pictures of that size.
void check_parts(const Work& work, int width, int height);

}  // namespace vidconv
