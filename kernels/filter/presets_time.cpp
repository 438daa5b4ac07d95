// Presets over time: taps of sum 1 over frames.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/filter/preset_rows.h"
#include "kernels/filter/preset_taps.h"

namespace vidconv {
namespace {

// `anchor`: the tap on the frame that is filtered.
Filter over_frames(std::vector<double> taps, int anchor) {
  const int count = static_cast<int>(taps.size());
  Filter filter = one_kernel(Kernel(count, 1, std::move(taps), anchor, 0), Purpose::blur);
  filter.over_time.emplace();
  return filter;
}

Filter time_box(const Arguments& a, Subsampling) {
  const int size = static_cast<int>(a["size"]);
  return over_frames(box_taps(size, 1), size / 2);
}

Filter time_gaussian(const Arguments& a, Subsampling) {
  std::vector<double> taps = gaussian_taps(a["sigma"], a["radius"], 1);
  const int middle = static_cast<int>(taps.size()) / 2;
  return over_frames(std::move(taps), middle);
}

// A first-order recursive filter, y = (1 - decay) x + decay y', without the tail that weighs less
// than a code of 12 bits.
Filter time_exp(const Arguments& a, Subsampling) {
  const double decay = a["decay"];
  constexpr double least = 1.0 / 4096;
  std::vector<double> taps{1};
  while (taps.back() * decay >= least && std::ssize(taps) < max_time_taps)
    taps.push_back(taps.back() * decay);
  double sum = 0;
  for (const double tap : taps) sum += tap;
  for (double& tap : taps) tap /= sum;
  std::reverse(taps.begin(), taps.end());
  const int last = static_cast<int>(taps.size()) - 1;
  return over_frames(std::move(taps), last);
}

}  // namespace

std::vector<Preset> time_presets() {
  return {
      {"time-box",
       "mean of several frames",
       {{"size", "frames", 1, max_time_taps, 3, true, {}}},
       time_box},
      {"time-gaussian",
       "Gaussian over frames",
       {{"sigma", "standard deviation, frames", 0, 42, 1, false, {}},
        {"radius", "reach (default: 3 sigma, rounded up)", 0, 127, {}, true, {}}},
       time_gaussian},
      {"time-exp",
       "a trail: each earlier frame weighs less by a factor",
       {{"decay", "the factor", 0, 0.99, 0.5, false, {}}},
       time_exp},
  };
}

}  // namespace vidconv
