#include "pipeline/encode/shards.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "pipeline/base/error.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

std::int64_t ticks_in(const ShardOptions& options, const VideoInfo& video) {
  std::optional<double> seconds = options.length;
  if (options.count > 0) seconds = length_of(video);
  if (!seconds)
    throw Error(Message::command_line, "`shards`", std::to_string(options.count),
                "the length of the input is not known before its end",
                "say how long a part shall be, as `shards` 10s");
  constexpr double most = 0x1p62;
  const double ticks = *seconds / av_q2d(video.time_base);
  return static_cast<std::int64_t>(std::clamp(std::round(ticks), 1., most));
}

}  // namespace

std::optional<double> length_of(const VideoInfo& video) {
  if (video.seconds) return video.seconds;
  if (!video.frames || video.frame_rate.num <= 0) return std::nullopt;
  return static_cast<double>(*video.frames) / av_q2d(video.frame_rate);
}

ShardCuts::ShardCuts(const ShardOptions& options, const VideoInfo& video)
    : parts_(std::max(1, options.count)),
      ticks_(ticks_in(options, video)),
      counted_(options.count > 0) {}

std::int64_t ShardCuts::part_of(std::int64_t pts) {
  if (!first_) first_ = pts;
  const std::int64_t part =
      av_rescale_rnd(std::max<std::int64_t>(0, pts - *first_), parts_, ticks_, AV_ROUND_DOWN);
  return counted_ ? std::min(part, parts_ - 1) : part;
}

}  // namespace vidconv
