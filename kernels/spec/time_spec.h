// When a filter acts: "between=1:00-1:30,f100-f200".
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/spec/spec_text.h"

namespace vidconv {

// A range from `begin` on and before `end`; the smallest and the largest number where it is open.
struct Stretch {
  std::int64_t begin = INT64_MIN, end = INT64_MAX;

  bool holds(std::int64_t at) const { return begin <= at && at < end; }
  bool operator==(const Stretch&) const = default;
};

// A frame is filtered where it is shown in one of the times or has one of the numbers; every frame
// is, where there is neither.
struct When {
  std::vector<Stretch> times;   // microseconds since the input's beginning
  std::vector<Stretch> frames;  // numbers of frames of the input, counted from 0

  bool always() const { return times.empty() && frames.empty(); }
  bool holds(std::int64_t microseconds, std::int64_t number) const;
  bool operator==(const When&) const = default;
};

// Reads "12.5", "500ms" or "[HH:]MM:SS[.mmm]"; returns microseconds.
std::int64_t read_moment(Cursor& c);
// Reads the number of a frame, "f100".
std::int64_t read_frame_number(Cursor& c);
// Reads ranges with commas between them, each FROM-TO; either end may be left out. TO is part of
// the range where it is the number of a frame, not where it is a time. Throws SpecError.
When read_when(Cursor& c);

}  // namespace vidconv
