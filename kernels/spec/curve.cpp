#include "kernels/spec/curve.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vidconv {
namespace {

// Returns how much of the way from one value to the next is done after the share `u` of the time.
// It never decreases.
double eased(Ease ease, double u) {
  switch (ease) {
    case Ease::linear:
      return u;
    case Ease::in:
      return u * u;
    case Ease::out:
      return 1 - (1 - u) * (1 - u);
    case Ease::in_out:
      return u < 0.5 ? 2 * u * u : 1 - 2 * (1 - u) * (1 - u);
    case Ease::hold:
      return 0;
  }
  return u;
}

}  // namespace

ValueCurve::ValueCurve(std::vector<Key> keys, bool of_frames, bool whole)
    : keys_(std::move(keys)), of_frames_(of_frames) {
  const auto [low, high] = std::ranges::minmax_element(keys_, {}, &Key::value);
  lowest_ = low->value;
  highest_ = high->value;
  if (lowest_ == highest_) return;
  const double range = highest_ - lowest_;
  step_ = whole ? 1 : range / most_steps;
  count_ = whole ? static_cast<int>(std::lround(range)) + 1 : most_steps + 1;
}

double ValueCurve::value(int n) const { return n == count_ - 1 ? highest_ : lowest_ + n * step_; }

// Returns the value on the way from a key to the next.
double ValueCurve::exact(std::size_t key, std::int64_t moment) const {
  const Key &from = keys_[key], &to = keys_[key + 1];
  const double u = static_cast<double>(moment - from.at) / static_cast<double>(to.at - from.at);
  return from.value + (to.value - from.value) * eased(ease_, u);
}

int ValueCurve::nearest(double value) const {
  if (count_ == 1) return 0;
  return std::clamp(static_cast<int>(std::floor((value - lowest_) / step_ + 0.5)), 0, count_ - 1);
}

int ValueCurve::at(std::int64_t moment) const {
  const auto after = std::ranges::upper_bound(keys_, moment, {}, &Key::at);
  if (after == keys_.begin()) return nearest(keys_.front().value);
  if (after == keys_.end()) return nearest(keys_.back().value);
  return nearest(exact(static_cast<std::size_t>(after - keys_.begin()) - 1, moment));
}

void ValueCurve::add_changes(std::vector<std::int64_t>& moments) const {
  for (std::size_t key = 0; key + 1 < keys_.size(); ++key) {
    const std::int64_t end = keys_[key + 1].at;
    int now = at(keys_[key].at);
    moments.push_back(keys_[key].at);
    // Values go one way between two keys: the next change is found by halving.
    const int last = nearest(exact(key, end - 1));
    for (std::int64_t from = keys_[key].at; now != last;) {
      std::int64_t same = from, other = end - 1;
      while (other - same > 1) {
        const std::int64_t middle = same + (other - same) / 2;
        (nearest(exact(key, middle)) == now ? same : other) = middle;
      }
      moments.push_back(other);
      from = other;
      now = nearest(exact(key, other));
    }
  }
  moments.push_back(keys_.back().at);
}

}  // namespace vidconv
