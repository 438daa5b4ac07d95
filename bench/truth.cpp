#include "bench/truth.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/picture/border.h"

namespace vidconv::bench {
namespace {

double combined(const Filter& filter, const std::vector<double>& r, double max) {
  const auto size = [](double v) { return std::abs(v); };
  double sum = 0;
  switch (filter.combine) {
    case Combine::linear:
      return r[0];
    case Combine::l2:
      for (double v : r) sum += v * v;
      return std::sqrt(sum);
    case Combine::l1:
      for (double v : r) sum += size(v);
      return sum;
    case Combine::max:
      return size(*std::ranges::max_element(r, {}, size));
    case Combine::signed_max:
      return *std::ranges::max_element(r);
    case Combine::unsharp:
      return r[0] + std::copysign(std::max(size(r[1]) - filter.threshold * max, 0.0), r[1]);
  }
  throw std::logic_error("no such combination");
}

}  // namespace

double Truth::at(int x, int y) const {
  std::vector<double> responses;
  for (const Kernel& k : filter_.kernels) {
    double sum = 0;
    for (int j = 0; j < k.height(); ++j) {
      const int v = border_index(BorderMode::reflect101, y + j - k.anchor_y(), height_);
      for (int i = 0; i < k.width(); ++i) {
        const int u = border_index(BorderMode::reflect101, x + i - k.anchor_x(), width_);
        sum += k.at(i, j) * codes_[static_cast<std::size_t>(v * width_ + u)];
      }
    }
    responses.push_back(sum);
  }
  const double v = combined(filter_, responses, max_) + filter_.bias * max_;
  return filter_.absolute ? std::abs(v) : v;
}

}  // namespace vidconv::bench
