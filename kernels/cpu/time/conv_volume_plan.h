// A plan over columns, rows and frames, with its taps in the types of vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/plan/factor.h"
#include "kernels/plan/plan.h"

namespace vidconv {

// Where all is exact a volume may be a product: frames are added up first, with a tap each, and one
// plane of taps is left.
struct ConvVolumePlan {
  Plan plan;
  int planes;                            // each has `rows` rows of `width` taps
  int width, rows, left, up;             // the last two: before the anchor
  std::vector<std::int32_t> frame_taps;  // only a product has them
  std::vector<double> taps;
  std::vector<std::int32_t> int32_taps;
  std::vector<float> float_taps;

  explicit ConvVolumePlan(const Plan& from)
      : plan(from),
        planes(from.tap_frames().count),
        width(from.terms[0].width),
        rows(from.plane_rows()),
        left(from.terms[0].anchor_x),
        up(from.terms[0].anchor_y % rows),
        taps(from.terms[0].dense) {
    if (plan.arith == Arith::int32 && planes > 1) find_product();
    for (const double tap : taps) {
      if (plan.arith == Arith::int32) int32_taps.push_back(static_cast<std::int32_t>(tap));
      float_taps.push_back(static_cast<float>(tap));
    }
  }

 private:
  void find_product() {
    const std::vector<std::int64_t> whole(taps.begin(), taps.end());
    const auto products = factor_exactly(whole, width * rows, planes);
    if (products.size() != 1) return;
    // No partial sum is larger than that of all taps' absolute values, which fits.
    frame_taps.assign(products[0].column.begin(), products[0].column.end());
    taps.assign(products[0].row.begin(), products[0].row.end());
    planes = 1;
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
