// A plan over columns, rows and frames, with its taps in the types of vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/plan/plan.h"
#include "kernels/plan/volume_taps.h"

namespace vidconv {

struct ConvVolumePlan : VolumeTaps {
  Plan plan;
  std::vector<std::int32_t> int32_taps;
  std::vector<float> float_taps;

  explicit ConvVolumePlan(const Plan& from) : VolumeTaps(from), plan(from) {
    for (const double tap : taps) {
      if (plan.arith == Arith::int32) int32_taps.push_back(static_cast<std::int32_t>(tap));
      float_taps.push_back(static_cast<float>(tap));
    }
  }
};

// A row of one frame's samples to become a line, or to be added to it.
struct VolumeSource {
  const std::byte* from;    // the plane's first sample
  const std::byte* centre;  // the filtered frame's, where there is a threshold
  int step;                 // samples from one to the next
  std::int32_t tap;         // factor on each, where lines are sums
  bool add;
};

// A line of samples in the plan's arithmetic, continued beyond both ends.
struct VolumeLine {
  void* first;  // sample 0
  int width;
  std::int32_t gain;  // the sum of the factors: what the border's value is multiplied by
};

// A row of results.
struct VolumeRow {
  const void* const* lines;  // sample 0 of `rows` lines of each plane, plane by plane
  std::byte* out;            // side by side
  int width;
};

}  // namespace vidconv
