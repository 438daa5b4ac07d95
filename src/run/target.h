// --target finds the encoder's quality that reaches a measure, on some ranges of the input.
#pragma once

#include <atomic>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/options/options.h"

namespace vidconv {

struct QualityTry {
  double crf = 0;                 // on the encoder's scale
  std::optional<double> reached;  // the measure's value; empty: infinite
};

struct FoundQuality {
  Target target;
  std::string encoder;
  std::vector<std::pair<double, double>> parts;  // ranges of the input: start and length, seconds
  std::vector<QualityTry> tried;                 // in order
  QualityTry chosen;
};

// Filters and encodes ranges of the input repeatedly and keeps nothing of it. Returns the lowest
// quality, among the whole numbers of the encoder's scale, that reaches the target there. Throws
// Error(usage) if the encoder has no such scale, the input can be read only once or nothing reaches
// the target; Error(interrupted); and what the runs throw.
FoundQuality find_quality(const Options& options, const std::atomic<bool>& interrupted);

// Return the result as one line for people, and as JSON for --stats.
std::string describe(const FoundQuality& found);
nlohmann::ordered_json target_json(const FoundQuality& found);

}  // namespace vidconv
