// When a filter acts: "between=1:00-1:30,f100-f200".
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/spec/spec_text.h"

namespace vidconv {

// From `begin` on and before `end`; the smallest and the largest number where it is open.
struct Stretch {
  std::int64_t begin = INT64_MIN, end = INT64_MAX;

  bool holds(std::int64_t at) const { return begin <= at && at < end; }
  bool operator==(const Stretch&) const = default;
};

// A frame is filtered that is shown in one of the times or has one of the numbers; every frame
// where there is neither.
struct When {
  std::vector<Stretch> times;   // microseconds since the input's beginning
  std::vector<Stretch> frames;  // numbers of frames of the input, counted from 0

  bool always() const { return times.empty() && frames.empty(); }
  bool holds(std::int64_t microseconds, std::int64_t number) const;
  bool operator==(const When&) const = default;
};

// "12.5", "500ms" or "[HH:]MM:SS[.mmm]", in microseconds.
std::int64_t read_moment(Cursor& c);
// "f100": the number of a frame.
std::int64_t read_frame_number(Cursor& c);
// SegmentSource with commas between them, each FROM-TO; either may be left out. Of times the last
// is not part of it, of numbers of frames it is. Throws SpecError.
When read_when(Cursor& c);

}  // namespace vidconv
