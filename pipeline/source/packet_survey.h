// Finds out about a container's video in one pass without decoding it, and which file it is.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pipeline/source/source.h"

namespace vidconv {

struct Survey {
  // Times of all frames in order, as the source would hand them out, by those of the packets.
  std::vector<std::int64_t> times;
  // If not, only decoding tells: a packet is not a frame, or the input is not as it should be.
  bool exact = true;
  // A range can be found by its time. If not, packets have none, or the clock begins anew.
  bool seeks = true;
  // The longest time between a key frame and the next one.
  std::int64_t longest_gap = 0;
  std::int64_t bytes = 0;  // bytes of these frames' packets
};
// Looks through the packets. `first`: time of the first frame that `source` hands out, which was
// opened with these options. After `patience` seconds it gives up, and the survey is not exact.
// Throws Error(input).
Survey survey_packets(const std::string& input, const SourceOptions& options, const Source& source,
                      std::int64_t first,
                      double patience = std::numeric_limits<double>::infinity());

// The size of an input that can be read anywhere, and some of its bytes: the beginning, the end,
// and pieces in between. They tell another input of the same name without reading all of it.
struct Sample {
  std::int64_t bytes = 0;
  std::string pieces;  // as they lie there
};
// Takes a sample. Throws Error(input) if the input cannot be opened, can only be read from
// beginning to end, or lies in other files, such as a playlist.
Sample sample(const std::string& input, const SourceOptions& options);

}  // namespace vidconv
