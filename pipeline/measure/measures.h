// The measures by their names, and values of them that are aimed at.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pipeline/measure/measure_log.h"

namespace vidconv {

struct MeasureName {
  std::string_view name;
  bool Measures::*wanted;
  std::optional<MeasureSummary> Measured::*summary;
  const char* format;  // prints a value for people
  double least, most;  // the range of targets
};
std::span<const MeasureName> measure_names();
// The row of that name; nullptr where there is none.
const MeasureName* measure_named(std::string_view name);

// "psnr,ssim". Throws Error(usage).
Measures parse_measures(const std::string& text);

// A value of a measure that an encoding is to reach.
struct Target {
  std::string measure;  // "psnr", "ssim"
  double value = 0;
};
// "psnr=40", "ssim=0.98". Throws Error(usage).
Target parse_target(const std::string& text);
// The target's measure alone.
Measures measures_of(const Target& target);

// "psnr, ssim"; empty where nothing is measured.
std::string names_of(const Measures& measures);

}  // namespace vidconv
