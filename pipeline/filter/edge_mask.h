// EdgeMask: a mask that a filter makes of each picture.
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

// Luma, or R, G and B: of which masks are made.
std::vector<std::size_t> components_seen(const PixelFormat& format);
// What a filter that makes masks does to them.
Plan edge_plan(const FilterSpec& filter, const PixelFormat& format);

// For the CPU.
class EdgeMask {
 public:
  // `filter`: for pictures as they are stored, of that format and size.
  EdgeMask(const FilterSpec& filter, const PixelFormat& format, int width, int height, int threads);

  // Of the picture's pixels: what the filter makes of luma, or the largest of what it makes of R, G
  // and B; full scale is 255. `components`: of the picture as it came. Until the next call.
  const Weights& of(std::span<const ConstBytePlane> components, bool by_field);

 private:
  void raise(const ConstBytePlane& response);

  std::vector<std::size_t> components_;
  const SampleType sample_;
  std::unique_ptr<Convolver> convolver_;
  std::vector<std::byte> memory_;  // of one response
  std::vector<PlanePair> pairs_;
  Weights weights_;
};

}  // namespace vidconv
