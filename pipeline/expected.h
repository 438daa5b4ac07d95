// What is still to come of a container's video, as far as its header tells: for showing progress.
#pragma once

#include <cstdint>
#include <optional>

#include "pipeline/av.h"

namespace vidconv {

// The part of an input that is wanted, in microseconds of the container's time.
struct Part {
  bool cut = false;  // there is a start: times are counted from it
  std::int64_t start = 0;
  std::int64_t end = INT64_MAX;
};

struct Expected {
  std::optional<std::int64_t> frames;
  bool exact = false;             // frames is no estimate
  std::optional<double> seconds;  // from the first frame to the end of the last
};

// `frame_rate`: nominal; 0 where unknown. `most`: how many frames at most are wanted.
Expected expect(const AVFormatContext& container, AVStream& video, const Part& part,
                AVRational frame_rate, std::optional<std::int64_t> most);

}  // namespace vidconv
