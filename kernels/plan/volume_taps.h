// The taps of a plan over columns, rows and frames, as all variants take them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plan/factor.h"
#include "kernels/plan/plan.h"

namespace vidconv {

// Where all is exact a volume may be a product: frames are added up first, with a tap each, and one
// plane of taps is left.
struct VolumeTaps {
  int planes;                            // each has `rows` rows of `width` taps
  int width, rows, left, up;             // the last two: before the anchor
  std::vector<std::int32_t> frame_taps;  // only a product has them
  std::vector<double> taps;

  explicit VolumeTaps(const Plan& plan)
      : planes(plan.tap_frames().count),
        width(plan.terms[0].width),
        rows(plan.plane_rows()),
        left(plan.terms[0].anchor_x),
        up(plan.terms[0].anchor_y % rows),
        taps(plan.terms[0].dense) {
    if (plan.arith == Arith::int32 && planes > 1) find_product();
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

}  // namespace vidconv
