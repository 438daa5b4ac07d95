#include "kernels/filter/point_spread.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace vidconv {
namespace {

// The samples along one axis that taps are shared among, counted from the one under the anchor.
class TapShares {
 public:
  TapShares(int taps, int anchor, int per_sample)
      : anchor_(anchor), per_sample_(per_sample), first_(sample_at(0, -1)) {
    size_ = sample_at(taps - 1, 1) - first_ + 1;
  }

  int size() const { return size_; }
  int anchor() const { return -first_; }

  // How much of tap `i` is in sample `at`, from 0 to 1.
  double share(int i, int at) const {
    // In halves of a luma sample.
    const int tap = 2 * (i - anchor_), sample = 2 * per_sample_ * (at + first_);
    const int from = std::max(tap - 1, sample - per_sample_);
    const int to = std::min(tap + 1, sample + per_sample_);
    return std::max(0, to - from) / 2.0;
  }

 private:
  // The sample in which that end of a tap lies; at -1 its beginning, at 1 its end.
  int sample_at(int i, int side) const {
    const int end = 2 * (i - anchor_) + side, size = 2 * per_sample_;
    // Sample k goes from (2 k - 1) per_sample to (2 k + 1) per_sample; an edge is in the inner one.
    const int moved = end + per_sample_ - (side > 0 ? 1 : 0);
    return moved >= 0 ? moved / size : -((-moved + size - 1) / size);
  }

  int anchor_, per_sample_, first_, size_;
};

}  // namespace

Kernel on_samples(const Kernel& luma, Subsampling subsampling) {
  if (subsampling == Subsampling{}) return luma;
  const TapShares across(luma.width(), luma.anchor_x(), subsampling.x);
  const TapShares down(luma.height(), luma.anchor_y(), subsampling.y);
  std::vector<double> taps;
  for (int y = 0; y < down.size(); ++y)
    for (int x = 0; x < across.size(); ++x) {
      double sum = 0;
      for (int j = 0; j < luma.height(); ++j) {
        const double of_row = down.share(j, y);
        for (int i = 0; of_row > 0 && i < luma.width(); ++i)
          sum += luma.at(i, j) * across.share(i, x) * of_row;
      }
      taps.push_back(sum);
    }
  return {across.size(), down.size(), std::move(taps), across.anchor(), down.anchor()};
}

}  // namespace vidconv
