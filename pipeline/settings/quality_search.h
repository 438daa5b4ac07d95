// Finds the quality of an encoder that reaches a measure, on parts of the input (docs/measure.md).
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/settings/settings.h"

namespace vidconv {

struct QualityTry {
  double crf = 0;                 // on the encoder's scale
  std::optional<double> reached;  // none: infinite
};

struct FoundQuality {
  Target target;
  std::string encoder;
  std::vector<std::pair<double, double>> parts;  // where each part of the input begins, its seconds
  std::vector<QualityTry> tried;                 // in order
  QualityTry chosen;
};

// Filters and encodes parts of the input again and again, and keeps nothing of it. The quality that
// saves most among the whole numbers of the scale that reach the target there. Throws Error(usage)
// where the encoder has no such scale, the input cannot be read more than once, or nothing reaches
// the target; Error(interrupted); and what the runs do.
FoundQuality find_quality(const Settings& settings, const std::atomic<bool>& stop);

// Sets the quality that was found, and that the target is measured.
void take(const FoundQuality& found, Settings& settings);

// For people, one line.
std::string describe(const FoundQuality& found);

}  // namespace vidconv
