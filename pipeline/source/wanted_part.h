// The part of an input that is wanted.
#pragma once

#include <cstdint>

#include "pipeline/source/source.h"

namespace vidconv {

// In microseconds of the container's time.
struct WantedPart {
  bool cut = false;  // there is a start
  std::int64_t start = 0;
  std::int64_t end = INT64_MAX;
  bool counted = false;     // times are counted from
  std::int64_t origin = 0;  // this: the start that the user has asked for, or the input's own
  bool seeks = true;        // to the start; else it is found by decoding all that comes before

  bool begins_after(std::int64_t time) const { return cut && time < start; }
  bool is_whole() const { return !cut && end == INT64_MAX; }
  // Of what begins where the input does, which may have been said by a frame whose time is wrong.
  void begin_no_later_than(std::int64_t time);
  // The time that is subtracted from all, in `time_base`.
  std::int64_t offset(AVRational time_base) const;
  // Counts the times of a packet of `stream` from the start. False where it is not of the part.
  bool take(AVPacket& packet, const AVStream& stream) const;
};

// Where its frames lie in the input; of a part from a start on, `frames_before` is known or not.
InputClock clock_of(const AVFormatContext& container, const WantedPart& part, AVRational time_base,
                    std::optional<std::int64_t> frames_before);

// What the options ask of the container. A number of frames has no end in time before they have
// come, but for 0.
WantedPart wanted_part(const AVFormatContext& container, const SourceOptions& options);

}  // namespace vidconv
