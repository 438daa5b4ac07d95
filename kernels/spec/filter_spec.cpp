// Makes filters from parsed specifications.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/filter/point_spread.h"
#include "kernels/filter/presets.h"
#include "kernels/filter/volume.h"
#include "kernels/spec/parse.h"

namespace vidconv {
namespace {

// Returns "1/9" where the reciprocal is one of a whole number, else a decimal.
std::string reciprocal(double sum) {
  const double whole = std::round(sum);
  if (whole != 0 && std::abs(sum - whole) < 1e-9 * whole) return fmt::format("1/{:.0f}", whole);
  return fmt::format("{:.6g}", 1 / sum);
}

}  // namespace

std::string_view FilterSpec::name() const { return preset_ ? preset_->name : matrix_name_; }

Filter FilterSpec::make_unmodified(Subsampling subsampling) const {
  if (preset_) return preset_->make(Arguments(preset_->parameters, arguments_), subsampling);
  Filter filter;
  filter.kernels = matrix_;
  filter.fill = fill_;
  if (is_over_time()) filter.over_time.emplace().plane_rows = plane_rows_;
  if (point_spread_) filter.kernels[0] = on_samples(filter.kernels[0], subsampling);
  return filter;
}

bool FilterSpec::is_over_time() const {
  return matrix_name_ == "time" || plane_rows_ > 0 || (preset_ && make_unmodified({}).over_time);
}

void FilterSpec::place_anchor(Filter& filter, Subsampling subsampling) const {
  if (plane_rows_ > 0) {
    filter.kernels[0] = anchored_volume(filter.kernels[0], plane_rows_, modifiers_.anchor_x,
                                        modifiers_.anchor_y, modifiers_.anchor_frame);
    return;
  }
  const Filter luma = make_unmodified({});
  for (std::size_t k = 0; k < filter.kernels.size(); ++k) {
    Kernel& kernel = filter.kernels[k];
    // A matrix is the same on every plane, and so are frames.
    if ((!preset_ && !point_spread_) || filter.over_time) subsampling = {};
    // As far from the kernel's own anchor as on luma.
    const auto moved = [](int own, int given, int luma_own, int per_sample, int size) {
      const double by = static_cast<double>(given - luma_own) / per_sample;
      const int to = own + static_cast<int>(std::lround(by));
      return per_sample == 1 ? to : std::clamp(to, 0, size - 1);
    };
    kernel = kernel.with_anchor(moved(kernel.anchor_x(), modifiers_.anchor_x,
                                      luma.kernels[k].anchor_x(), subsampling.x, kernel.width()),
                                moved(kernel.anchor_y(), modifiers_.anchor_y,
                                      luma.kernels[k].anchor_y(), subsampling.y, kernel.height()));
  }
}

FilterSpec FilterSpec::of_stored(const Orientation& shown) const {
  FilterSpec spec = *this;
  spec.shown_ = shown;
  return spec;
}

FilterSpec FilterSpec::for_all_frames() const {
  FilterSpec spec = *this;
  spec.modifiers_.when = {};
  spec.timed_.clear();
  return spec;
}

FilterSpec FilterSpec::with_values(std::span<const int> values) const {
  FilterSpec spec = for_all_frames();
  for (std::size_t i = 0; i < timed_.size(); ++i) {
    const auto& [argument, curve] = timed_[i];
    spec.arguments_[argument] = curve.value(values[i]);
    spec.text_ += fmt::format("{} {} {:.6g}", i == 0 ? " with" : ",",
                              preset_->parameters[argument].name, spec.arguments_[argument]);
  }
  if (!timed_.empty()) spec.make();
  return spec;
}

std::vector<FilterSpec> FilterSpec::levels() const {
  if (!has_map()) return {*this};
  const int count = place().level()->count;
  std::vector<FilterSpec> all;
  for (int k = 1; k <= count; ++k) {
    FilterSpec& level = all.emplace_back(*this);
    const Parameter& parameter = preset_->parameters.front();
    level.arguments_[0] = std::max(parameter.min, arguments_[0] * k / count);
    level.text_ +=
        fmt::format(", level {} of {}: {} {:.6g}", k, count, parameter.name, level.arguments_[0]);
    level.modifiers_.place.set_level({k, count});
  }
  return all;
}

FilterSpec FilterSpec::by_whole_map() const {
  FilterSpec spec = *this;
  if (has_map()) spec.modifiers_.place.set_level({0, place().level()->count});
  return spec;
}

std::vector<FilterSpec> of_stored(std::span<const FilterSpec> chain, const Orientation& shown) {
  std::vector<FilterSpec> stored;
  for (const FilterSpec& spec : chain) stored.push_back(spec.of_stored(shown));
  return stored;
}

FilterSpec FilterSpec::in_boxes(std::size_t number) const {
  FilterSpec spec = *this;
  spec.in_boxes_ = number;
  return spec;
}

Filter FilterSpec::make(Subsampling subsampling) const {
  if (shown_.swaps()) std::swap(subsampling.x, subsampling.y);
  Filter filter = make_unmodified(subsampling);
  if (modifiers_.has_anchor) place_anchor(filter, subsampling);
  const double scale =
      modifiers_.auto_scale ? 1 / filter.kernels[0].sum() : modifiers_.scale.value_or(1);
  for (Kernel& kernel : filter.kernels) {
    for (int turn = 0; turn < modifiers_.quarter_turns; ++turn) kernel = kernel.rotated90();
    // A point of light becomes what the picture shows by mathematical convolution.
    if (modifiers_.flip != point_spread_) kernel = kernel.flipped();
    if (scale != 1) kernel = kernel.scaled(scale);
    kernel = plane_rows_ > 0    ? stored_volume(kernel, plane_rows_, shown_)
             : filter.over_time ? kernel.trimmed()
                                : stored_kernel(kernel.trimmed(), shown_);
  }
  filter.threshold *= scale;
  if (!preset_ && !fill_) filter.purpose = purpose_of(filter.kernels[0]);
  if (filter.over_time) {
    filter.over_time = modifiers_.over_time;
    if (plane_rows_ > 0)
      filter.over_time->plane_rows = shown_.swaps() ? matrix_[0].width() : plane_rows_;
  }
  filter.blocks = stored_blocks(filter.blocks, shown_);
  filter.bias = modifiers_.bias.value_or(filter.bias);
  filter.absolute = modifiers_.absolute.value_or(filter.absolute);
  return filter;
}

std::string FilterSpec::gain_warning() const {
  const Filter filter = make();
  // Edge detectors answer to a flat picture with 0; a scale, or a preset, was chosen by someone.
  if (preset_ || modifiers_.scale || modifiers_.auto_scale || filter.purpose == Purpose::edge)
    return {};
  const double gain = filter.kernels[0].sum();
  constexpr double half_a_code = 0.5 / 255;
  const auto flat = [&](double grey) {
    const double v = gain * grey + filter.bias;
    return filter.absolute ? std::abs(v) : v;
  };
  if (std::max(flat(0), flat(1)) > 1 + half_a_code && gain > 1)
    return fmt::format(
        "{}: its taps sum to {:.6g}, so that everything brighter than {:.3g} of white becomes "
        "white; :scale={} keeps the brightness",
        text_, gain, std::clamp((1 - filter.bias) / gain, 0.0, 1.0), reciprocal(gain));
  if (std::max(flat(0), flat(1)) <= half_a_code && gain < 0)
    return fmt::format(
        "{}: its taps sum to {:.6g}, so that flat areas become black; :bias=1 or :abs=1 shows them",
        text_, gain);
  return {};
}

std::string FilterSpec::shape_warning() const {
  if (!typed_ || (matrix_[0].width() > 1 && matrix_[0].height() > 1)) return {};
  const int count = matrix_[0].width() * matrix_[0].height();
  const auto side = static_cast<int>(std::lround(std::sqrt(count)));
  if (side < 3 || side % 2 == 0 || side * side != count) return {};
  const char* line = matrix_[0].height() == 1 ? "row" : "column";
  return fmt::format(
      "{0}: its {1} numbers are one {2}; a {3}x{3} matrix is {4}, and where the {2} is meant {2}: "
      "says so",
      text_, count, line, side,
      matrix_name_ == "file" ? fmt::format("{0} lines of {0}", side) : in_rows(text_, side));
}

}  // namespace vidconv
