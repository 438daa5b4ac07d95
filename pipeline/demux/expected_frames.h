// What is still to come of a container's video, as far as its header says: for showing progress.
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

// `frame_rate`: nominal; 0 where unknown. `most`: how many frames at most are wanted.
Expected expect(const AVFormatContext& container, AVStream& video, const InputRange& part,
                AVRational frame_rate, std::optional<std::int64_t> most);

}  // namespace vidconv
