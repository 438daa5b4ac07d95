// Estimates from its header what is still to come of a container's video, to show progress.
#pragma once

#include <cstdint>
#include <optional>

#include "pipeline/av/av.h"
#include "pipeline/demux/input_range.h"

namespace vidconv {

struct Expected {
  std::optional<std::int64_t> frames;
  bool exact = false;             // frames is no estimate
  std::optional<double> seconds;  // from the first frame to the end of the last
};

// `frame_rate`: nominal; 0 if unknown. `most`: the most frames that are wanted.
Expected expect(const AVFormatContext& container, AVStream& video, const InputRange& part,
                AVRational frame_rate, std::optional<std::int64_t> most);

}  // namespace vidconv
