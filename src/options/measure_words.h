// Prints the results of --measure, as text and as JSON (docs/measure.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/measure/measure_log.h"
#include "src/options/options.h"

namespace vidconv {

// Every file of --measure-log begins with this.
inline constexpr std::string_view measure_log_beginning = R"({"schema":1,"measures":)";

struct MeasureName {
  std::string_view name;
  bool Measures::*wanted;
  std::optional<MeasureSummary> Measured::*summary;
  const char* format;  // for a value, for people
  double least, most;  // range of values that --target takes
};
// Returns the row of that name; nullptr if there is none.
const MeasureName* measure_named(std::string_view name);

// Parses "psnr,ssim". Throws Error(usage).
Measures parse_measures(const std::string& text);

// Parses "psnr=40", "ssim=0.98". Throws Error(usage).
Target parse_target(const std::string& text);
// Returns the target's measure alone.
Measures measures_of(const Target& target);

// Returns "psnr, ssim"; empty if nothing is measured.
std::string names_of(const Measures& measures);

// Returns text for people: the reference, then each measure with its components and worst frame.
std::string describe(const Measured& measured);
// Returns text for the last line of a run: "psnr 42.13 dB, ssim 0.987654".
std::string in_short(const Measured& measured);

// Returns the member "measured" of --stats.
nlohmann::ordered_json measured_json(const Measured& measured);
// Return the lines of --measure-log: the first, one for each frame, the last.
std::string measure_log_head(const Options& options);
std::string measure_log_line(const FrameScore& score, const Measures& measures);
std::string measure_log_end(const Measured& measured);

}  // namespace vidconv
