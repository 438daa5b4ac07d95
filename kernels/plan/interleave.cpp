#include "kernels/plan/interleave.h"

#include <cstddef>
#include <vector>

namespace vidconv {
namespace {

// Returns rows of `width` taps, with zeros between them.
std::vector<double> spread_out(const std::vector<double>& taps, int width, int components) {
  if (taps.empty()) return {};
  const auto in_row = static_cast<std::size_t>(width);
  const auto apart = static_cast<std::size_t>(components);
  const std::size_t wide = (in_row - 1) * apart + 1;
  std::vector<double> spread(taps.size() / in_row * wide);
  for (std::size_t i = 0; i < taps.size(); ++i)
    spread[i / in_row * wide + i % in_row * apart] = taps[i];
  return spread;
}

}  // namespace

std::optional<Plan> interleaved(const Plan& plan, int components, unsigned kept) {
  if (plan.sample.storage == Storage::f32 || plan.components != 1) return std::nullopt;
  Plan wide = plan;
  wide.components = components;
  wide.kept = kept;
  for (Taps& taps : wide.terms) {
    if (taps.pairwise) return std::nullopt;
    taps.dense = spread_out(taps.dense, taps.width, components);
    taps.row = spread_out(taps.row, taps.width, components);
    taps.width = (taps.width - 1) * components + 1;
    taps.anchor_x *= components;
  }
  return wide;
}

}  // namespace vidconv
