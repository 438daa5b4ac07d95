#include "pipeline/encode/encoder_times.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "pipeline/base/error.h"

namespace vidconv {
namespace {

// Durations come from files: one that is too long for a product gives the longest.
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
  // x265 says of the first of very few frames, sometimes, that it is decoded after it is shown.
  const std::int64_t decoded = packet.dts = std::min(packet.dts, packet.pts);
  packet.duration =
      joins_frames_
          ? av_sat_sub64(av_sat_add64(held_.back().pts, held_.back().duration), shown->pts)
          : shown->duration;
  if (counts_frames_) {
    packet.pts = shown->pts;
    // Frames that are decoded before the first is shown: as if there were earlier ones.
    const Times* then = find(decoded);
    packet.dts = then ? then->pts
                      : av_sat_sub64(first_.pts, product(av_sat_sub64(first_.inside, decoded),
                                                         first_.duration));
  }
  // Times of decoding grow, and no frame is decoded after it is shown.
  while (!held_.empty() && held_.front().inside < decoded) held_.pop_front();
}

}  // namespace vidconv
