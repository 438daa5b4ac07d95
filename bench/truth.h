// A filter in real arithmetic, to compare results with.
#pragma once

#include <vector>

#include "kernels/filter/filter.h"

namespace vidconv::bench {

// The filter in double, before rounding, with borders as reflect101. Filter and codes must outlive
// it.
class Truth {
 public:
  // `max` is the largest code, 1 for floats.
  Truth(const Filter& filter, const std::vector<double>& codes, int width, int height, int max)
      : filter_(filter), codes_(codes), width_(width), height_(height), max_(max) {}

  double at(int x, int y) const;

 private:
  const Filter& filter_;
  const std::vector<double>& codes_;
  int width_, height_;
  double max_;
};

}  // namespace vidconv::bench
