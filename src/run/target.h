// --target: which quality of the encoder reaches a measure, found on parts of the input.
#pragma once

#include <atomic>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/options/options.h"

namespace vidconv {

struct QualityTry {
  double crf = 0;                 // on the encoder's scale
  std::optional<double> reached;  // none: infinite
};

struct FoundQuality {
  Target target;
  std::string encoder;
  std::vector<std::pair<double, double>> parts;  // of the input: where each begins, its seconds
  std::vector<QualityTry> tried;                 // in order
  QualityTry chosen;
};

// Filters and encodes parts of the input again and again, and keeps nothing of it. The quality that
// saves most among the whole numbers of the scale that reach the target there. Throws Error(usage)
// where the encoder has no such scale, the input cannot be read more than once, or nothing reaches
// the target; Error(interrupted); and what the runs do.
FoundQuality find_quality(const Options& options, const std::atomic<bool>& interrupted);

// For people, one line; for --stats.
std::string describe(const FoundQuality& found);
nlohmann::ordered_json target_json(const FoundQuality& found);

}  // namespace vidconv
