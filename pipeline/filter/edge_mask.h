// EdgeMask makes a mask of each picture with a filter.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernels/convolver/convolver.h"
#include "kernels/picture/weights.h"
#include "kernels/spec/parse.h"
#include "pipeline/av/format.h"

namespace vidconv {

// Returns the components that masks are made of: luma, or R, G and B.
std::vector<std::size_t> components_seen(const PixelFormat& format);
// Returns the plan of a filter that makes masks of these components.
Plan edge_plan(const FilterSpec& filter, const PixelFormat& format);

// Makes masks on the CPU.
class EdgeMask {
 public:
  // `filter`: for pictures of that format and size as they are stored.
  EdgeMask(const FilterSpec& filter, const PixelFormat& format, int width, int height, int threads);

  // Returns the weights of the picture's pixels: the filter's response in luma, or the largest of
  // its responses in R, G and B; 255 is full scale. `components`: the unfiltered picture. Valid
  // until the next call.
  const Weights& of(std::span<const ConstBytePlane> components, bool by_field);

 private:
  void raise(const ConstBytePlane& response);

  std::vector<std::size_t> components_;
  const SampleType sample_;
  std::unique_ptr<Convolver> convolver_;
  std::vector<std::byte> memory_;  // one component's response
  std::vector<PlanePair> pairs_;
  Weights weights_;
};

}  // namespace vidconv
