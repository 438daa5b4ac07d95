// Latency: limits and measures how long a frame is on its way through a run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "pipeline/av/video.h"

namespace vidconv {

struct LatencyLimits {
  double seconds = 0;         // from the decoder to the output
  std::size_t waiting = 1;    // frames that may wait for the filter
  std::size_t in_flight = 1;  // frames from there to the output
  double window = 0;          // seconds that a frame has waited already, for those around it
};

// Returns limits for such a video: as many frames as come in that time, in reasonable memory.
LatencyLimits latency_limits(double seconds, const VideoInfo& video);

// Counts frames by their latency; its size does not grow with their number.
class LatencyLog {
 public:
  explicit LatencyLog(double limit = 0) : limit_(limit) {}

  void add(double seconds);  // adds a frame that is in the output

  double limit() const { return limit_; }  // seconds
  std::int64_t frames() const { return frames_; }
  std::int64_t late() const { return late_; }  // took longer than the limit
  double worst() const { return worst_; }
  // Returns the median to within a sixteenth; 0 where there were no frames.
  double median() const;

  std::int64_t dropped = 0, most_waiting = 0, most_in_flight = 0;

 private:
  // The bins are logarithmic: 16 for each doubling, from a microsecond on.
  static constexpr int steps = 16, doublings = 40;

  double limit_, worst_ = 0;
  std::int64_t frames_ = 0, late_ = 0;
  std::array<std::int64_t, std::size_t{steps} * doublings> counts_{};
};

}  // namespace vidconv
