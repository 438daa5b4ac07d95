// What one pass over a container tells of its video without decoding it, and which file it is.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pipeline/source/source.h"

namespace vidconv {

struct Survey {
  // The times of all frames in order, as the source would hand them out, by those of the packets.
  std::vector<std::int64_t> times;
  // Else only decoding tells: a packet is not a frame, or the input is not as it should be.
  bool exact = true;
  // A part can be found by its time. Else packets have none, or the clock begins anew.
  bool seeks = true;
  // Between the times of a key frame and of the next one.
  std::int64_t longest_gap = 0;
  std::int64_t bytes = 0;  // of the packets of these frames
};
// `first`: of the frames that `source`, which was opened so, hands out. What takes longer than
// `patience`, in seconds, is given up, and is not exact. Throws Error(input).
Survey survey_packets(const std::string& input, const SourceOptions& options, const Source& source,
                      std::int64_t first,
                      double patience = std::numeric_limits<double>::infinity());

// Of an input that can be read anywhere: its bytes, and some of them, so that another one of the
// same name is noticed without reading all of it: the beginning, the end, and pieces in between.
struct Sample {
  std::int64_t bytes = 0;
  std::string pieces;  // as they lie there
};
// Throws Error(input) where it cannot be opened, or cannot be read but from beginning to end.
Sample sample(const std::string& input, const SourceOptions& options);

}  // namespace vidconv
