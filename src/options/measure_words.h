// Prints the results of --measure, as text and as JSON (docs/measure.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "pipeline/measure/measures.h"
#include "src/options/options.h"

namespace vidconv {

// Every file of --measure-log begins with this.
inline constexpr std::string_view measure_log_beginning = R"({"schema":1,"measures":)";

// For people: against what, each measure with its components and its worst frame.
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
