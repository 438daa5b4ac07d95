#include "pipeline/source/time_jumps.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

extern "C" {
#include <libavutil/common.h>
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

constexpr std::int64_t no_time = AV_NOPTS_VALUE;
// Of ffmpeg(1): dts_delta_threshold, dts_error_threshold, and how far back is no reordering.
constexpr std::int64_t far = 10LL * AV_TIME_BASE;
constexpr std::int64_t absurd = 30LL * 3600 * AV_TIME_BASE;
constexpr std::int64_t back = AV_TIME_BASE / 10;
// In the middle of a stream, sound may begin with the rest of a frame: libavformat takes the time
// of what comes next for its own, and says it again.
constexpr std::int64_t guessed = AV_TIME_BASE;

bool is_far(std::int64_t by) { return by > far || by < -far; }

void move(AVPacket& packet, std::int64_t by, AVRational time_base) {
  const std::int64_t ticks = av_rescale_q(by, AV_TIME_BASE_Q, time_base);
  if (packet.pts != no_time) packet.pts = av_sat_add64(packet.pts, ticks);
  if (packet.dts != no_time) packet.dts = av_sat_add64(packet.dts, ticks);
}

}  // namespace

TimeJumps::TimeJumps(const AVFormatContext& container, bool leave, bool in_the_middle,
                     Notify notify)
    : container_(container),
      restarts_(container.iformat->flags & AVFMT_TS_DISCONT),
      leave_(leave),
      in_the_middle_(in_the_middle),
      notify_(std::move(notify)) {}

void TimeJumps::follow(AVPacket& packet) {
  if (clocks_.size() < container_.nb_streams) clocks_.resize(container_.nb_streams);
  const AVStream& stream = *container_.streams[packet.stream_index];
  Clock& clock = clocks_[static_cast<std::size_t>(packet.stream_index)];
  watch(packet, clock, stream.time_base);
  if (leave_) return;
  move(packet, offset_, stream.time_base);
  if (packet.dts == no_time) return;
  std::int64_t time = av_rescale_q(packet.dts, stream.time_base, AV_TIME_BASE_Q);
  const AVMediaType type = stream.codecpar->codec_type;
  const bool goes_on = type == AVMEDIA_TYPE_VIDEO || type == AVMEDIA_TYPE_AUDIO;
  if (const std::int64_t by = goes_on ? jump(clock, time) : 0; by != 0) {
    tell(av_sat_sub64(time, offset_), by);
    move(packet, av_sat_sub64(0, by), stream.time_base);
    time = av_sat_sub64(time, by);
    if (restarts_) offset_ = av_sat_sub64(offset_, by);  // else it is this packet that is wrong
  }
  last_ = clock.last = time;
  if (!clock.first) clock.first = time;
  clock.next = av_sat_add64(time, av_rescale_q(packet.duration, stream.time_base, AV_TIME_BASE_Q));
}

void TimeJumps::watch(const AVPacket& packet, Clock& clock, AVRational time_base) {
  follows_ = Follows::on_time;
  if (packet.dts == no_time) return;
  const std::int64_t time = av_rescale_q(packet.dts, time_base, AV_TIME_BASE_Q);
  // What packets say of their duration need not be so.
  const std::int64_t duration = av_rescale_q(packet.duration, time_base, AV_TIME_BASE_Q);
  const std::int64_t step = clock.of_input ? av_sat_sub64(time, *clock.of_input) : 0;
  if (restarts_ && (step < 0 || step > far))
    follows_ = Follows::anew;
  else if (step / 3 * 2 > clock.longest_step)
    follows_ = Follows::late;
  if (follows_ != Follows::anew)
    clock.longest_step = std::max({clock.longest_step, step, duration});
  clock.of_input = time;
}

std::int64_t TimeJumps::jump(const Clock& clock, std::int64_t time) const {
  if (!clock.next) {  // the stream begins
    const std::int64_t by = restarts_ && last_ ? av_sat_sub64(time, *last_) : 0;
    return is_far(by) ? by : 0;
  }
  const std::int64_t by = av_sat_sub64(time, *clock.next);
  if (!restarts_) return by > absurd || by < -absurd ? by : 0;
  if (is_far(by)) return by;
  const bool guesses = in_the_middle_ && *clock.last - *clock.first < guessed;
  return !guesses && av_sat_add64(time, back) < *clock.last ? by : 0;
}

void TimeJumps::tell(std::int64_t time, std::int64_t by) const {
  const auto seconds = [](std::int64_t t) { return static_cast<double>(t) / AV_TIME_BASE; };
  notify(notify_, MessageKind::times_moved,
         fmt::format("the input's times jump by {:+.6g} s to {:.6g} s: all streams go on there "
                     "without it; `copy_times` leaves them",
                     seconds(by), seconds(time)));
}

}  // namespace vidconv
