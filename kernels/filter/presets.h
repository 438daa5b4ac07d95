// The named filters: one table row each, in presets_blur.cpp, presets_sharpen.cpp,
// presets_gradient.cpp and presets_second.cpp.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/filter/filter.h"

namespace vidconv {

struct Parameter {
  std::string_view name;
  std::string_view description;  // states the default where `fallback` has none
  double min = 0, max = 0;
  std::optional<double> fallback;  // empty: derived from the other parameters
  bool integer = false;
  // The words that a user may give, if any; the value is the index of the word.
  std::vector<std::string_view> choices;
};

// The values of a preset's parameters.
class Arguments {
 public:
  Arguments(std::span<const Parameter> parameters, std::span<const double> values)
      : parameters_(parameters), values_(values) {}

  // Returns NaN where the user gave no value and there is no fallback. `name` must be in the table.
  double operator[](std::string_view name) const;
  double get(std::string_view name, double derived) const;

 private:
  std::span<const Parameter> parameters_;
  std::span<const double> values_;
};

struct Preset {
  std::string_view name;
  std::string_view description;
  std::vector<Parameter> parameters;
  // Makes a filter of any combination of values within their ranges.
  Filter (*make)(const Arguments& arguments, Subsampling subsampling);
};

std::span<const Preset> presets();

// Returns nullptr where there is no such preset.
const Preset* find_preset(std::string_view name);

}  // namespace vidconv
