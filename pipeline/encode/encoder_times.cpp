#include "pipeline/encode/encoder_times.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "pipeline/base/error.h"

namespace vidconv {
namespace {

// Multiplies, saturating: durations come from files and may be far too long.
std::int64_t product(std::int64_t frames, std::int64_t duration) {
  std::int64_t ticks = 0;
  return __builtin_mul_overflow(frames, duration, &ticks) ? INT64_MAX : ticks;
}

}  // namespace

std::int64_t EncoderTimes::keep(std::int64_t inside, const AVFrame& frame) {
  const Times times{inside, frame.pts, frame_duration(frame)};
  if (!begun_) first_ = times;
  begun_ = true;
  held_.push_back(times);
  return inside;
}

const EncoderTimes::Times* EncoderTimes::find(std::int64_t inside) const {
  const auto it = std::ranges::find(held_, inside, &Times::inside);
  return it == held_.end() ? nullptr : &*it;
}

void EncoderTimes::restore(AVPacket& packet) {
  const Times* shown = find(packet.pts);
  if (!shown)
    throw Error(Fault::internal, "the encoder made up a time", encoder_.name,
                std::to_string(packet.pts));
  // For very short videos x265 sometimes gives the first frame a dts after its pts.
  const std::int64_t decoded = packet.dts = std::min(packet.dts, packet.pts);
  packet.duration =
      joins_frames_
          ? av_sat_sub64(av_sat_add64(held_.back().pts, held_.back().duration), shown->pts)
          : shown->duration;
  if (counts_frames_) {
    packet.pts = shown->pts;
    // Frames decoded before the first one is shown get times as if there were earlier frames.
    const Times* then = find(decoded);
    packet.dts = then ? then->pts
                      : av_sat_sub64(first_.pts, product(av_sat_sub64(first_.inside, decoded),
                                                         first_.duration));
  }
  // Times of decoding grow, so no later packet can mean these frames.
  while (!held_.empty() && held_.front().inside < decoded) held_.pop_front();
}

}  // namespace vidconv
