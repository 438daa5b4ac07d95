#include "kernels/filter/presets.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "kernels/base/names.h"
#include "kernels/filter/preset_rows.h"

namespace vidconv {

Filter one_kernel(Kernel kernel, Purpose purpose) {
  Filter filter;
  filter.kernels.push_back(std::move(kernel));
  filter.purpose = purpose;
  return filter;
}

Parameter angle_parameter(std::string_view description, double fallback) {
  return {"angle", description, -360, 360, fallback, false, {}};
}

double Arguments::operator[](std::string_view name) const {
  const auto it = std::ranges::find(parameters_, name, &Parameter::name);
  if (it == parameters_.end()) throw std::logic_error("no such parameter in the table");
  return values_[static_cast<std::size_t>(it - parameters_.begin())];
}

double Arguments::get(std::string_view name, double derived) const {
  const double value = (*this)[name];
  return std::isnan(value) ? derived : value;
}

std::span<const Preset> presets() {
  static const std::vector<Preset> table = [] {
    std::vector<Preset> rows;
    for (auto* group :
         {blur_presets, sharpen_presets, gradient_presets, second_derivative_presets, time_presets})
      std::ranges::move(group(), std::back_inserter(rows));
    return rows;
  }();
  return table;
}

const Preset* find_preset(std::string_view name) {
  return row_named(presets(), name, &Preset::name);
}

}  // namespace vidconv
