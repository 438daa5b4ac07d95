#include "pipeline/run/latency.h"

#include <algorithm>
#include <cmath>

namespace vidconv {
namespace {

constexpr double smallest = 1e-6;  // seconds

}  // namespace

LatencyLimits latency_limits(double seconds, const VideoInfo& video) {
  constexpr double unknown_rate = 60;
  constexpr double most_bytes = 512 << 20, most_frames = 256, most_in_flight = 8;
  const double rate = video.frame_rate.num > 0 ? av_q2d(video.frame_rate) : unknown_rate;
  const double bytes = 4.0 * video.width * video.height * sizeof(std::uint16_t);
  const double come = std::floor(seconds * rate);
  return {.seconds = seconds,
          .waiting = static_cast<std::size_t>(
              std::clamp(come + 1, 2.0, std::clamp(most_bytes / bytes, 2.0, most_frames))),
          .in_flight = static_cast<std::size_t>(std::clamp(come, 1.0, most_in_flight))};
}

void LatencyLog::add(double seconds) {
  ++frames_;
  late_ += seconds > limit_ ? 1 : 0;
  worst_ = std::max(worst_, seconds);
  const double step = std::log2(std::max(seconds, smallest) / smallest) * steps;
  ++counts_[std::min(static_cast<std::size_t>(step), counts_.size() - 1)];
}

double LatencyLog::median() const {
  std::int64_t below = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    below += counts_[i];
    if (2 * below >= frames_ && frames_ > 0)
      return std::min(worst_, smallest * std::exp2((static_cast<double>(i) + 0.5) / steps));
  }
  return 0;
}

}  // namespace vidconv
