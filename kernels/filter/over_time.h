// Filters over time: a row of taps over frames instead of a matrix over pixels.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kernels/picture/border.h"

namespace vidconv {

// The frames before the first one and behind the last one.
enum class TimeBorder : std::uint8_t {
  replicate,   // ... a a | a b c d | d d ...
  reflect,     // ... b a | a b c d | d c ...
  reflect101,  // ... c b | a b c d | c b ...
  zero,        // black, and neutral in planes of chroma
  shrink,      // none: the other taps are scaled so that their sum stays what it was
};

inline constexpr int max_time_taps = 255;

struct TimeBorderName {
  TimeBorder border;
  std::string_view name;
};
inline constexpr TimeBorderName time_borders[] = {
    {TimeBorder::replicate, "replicate"},   {TimeBorder::reflect, "reflect"},
    {TimeBorder::reflect101, "reflect101"}, {TimeBorder::zero, "zero"},
    {TimeBorder::shrink, "shrink"},
};

constexpr std::string_view name_of(TimeBorder border) {
  for (const TimeBorderName& row : time_borders)
    if (row.border == border) return row.name;
  return "";
}

// A filter over time has these beside its taps. Its kernel's anchor is on the frame that is
// filtered.
struct OverTime {
  TimeBorder border = TimeBorder::replicate;
  // A fraction of full scale. Two frames whose luma differs by more in the mean are of two scenes:
  // beyond a cut the nearest frame on this side counts.
  std::optional<double> cut = {};
  // A fraction of full scale. A sample that differs by more from that of the filtered frame counts
  // as that one.
  std::optional<double> threshold = {};
  // Frames come out whose number, counted from 0, leaves this remainder when it is divided.
  int every = 1, phase = 0;
  // 0: the kernel is a row of taps, one for each frame. Else it is a volume: planes of so many
  // rows, one for each frame, in order of time, each below the one before it.
  int plane_rows = 0;
  bool operator==(const OverTime&) const = default;
};

// Returns the number in [0, count) of the frame that stands for frame `number` of `count`, for any
// number; -1 where there is none.
constexpr std::int64_t time_border_index(TimeBorder border, std::int64_t number,
                                         std::int64_t count) {
  if (number >= 0 && number < count) return number;
  switch (border) {
    case TimeBorder::replicate:
      return number < 0 ? 0 : count - 1;
    case TimeBorder::reflect:
      return border_index(BorderMode::reflect, static_cast<int>(number), static_cast<int>(count));
    case TimeBorder::reflect101:
      return border_index(BorderMode::reflect101, static_cast<int>(number),
                          static_cast<int>(count));
    case TimeBorder::zero:
    case TimeBorder::shrink:
      break;
  }
  return -1;
}

// The frames that taps are on: how many, and which of them is the one that is filtered.
struct TapFrames {
  int count = 1, anchor = 0;
  int after() const { return count - 1 - anchor; }
};

// Returns those of a kernel of this size and anchor.
constexpr TapFrames tap_frames(const OverTime& over_time, int width, int height, int anchor_x,
                               int anchor_y) {
  if (over_time.plane_rows == 0) return {.count = width, .anchor = anchor_x};
  return {.count = height / over_time.plane_rows, .anchor = anchor_y / over_time.plane_rows};
}

}  // namespace vidconv
