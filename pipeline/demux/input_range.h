// InputRange is the range of an input that is wanted.
#pragma once

#include <cstdint>

#include "pipeline/demux/source_options.h"

namespace vidconv {

// Times are microseconds of the container's time.
struct InputRange {
  bool cut = false;  // there is a start
  std::int64_t start = 0;
  std::int64_t end = INT64_MAX;
  bool counted = false;     // times are counted from `origin`
  std::int64_t origin = 0;  // the start that the user has asked for, or the input's own
  bool seeks = true;        // to the start; false: all that comes before is decoded to find it

  // Moves the beginning back to `time`, where the input begins: the container may have been misled
  // by a frame whose time is wrong. Does nothing for a range with a start.
  void begin_no_later_than(std::int64_t time);
  bool begins_after(std::int64_t time) const { return cut && time < start; }
  bool is_whole() const { return !cut && end == INT64_MAX; }
  // Returns the time that is subtracted from all times, in `time_base`.
  std::int64_t offset(AVRational time_base) const;
  // Counts a packet's times from the start. Returns false if the packet is not in the range.
  bool take(AVPacket& packet, const AVStream& stream) const;
};

// Returns where the range's frames lie in the input. `frames_before`: those before its start, if
// known.
InputClock clock_of(const AVFormatContext& container, const InputRange& part, AVRational time_base,
                    std::optional<std::int64_t> frames_before);

// Returns the range that the options ask for. A number of frames has no end in time before they
// have come, except for 0.
InputRange input_range(const AVFormatContext& container, const SourceOptions& options);

}  // namespace vidconv
