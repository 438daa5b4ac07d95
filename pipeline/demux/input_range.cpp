#include "pipeline/demux/input_range.h"

#include <algorithm>

extern "C" {
#include <libavutil/common.h>
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

// Narrows the range to the interval's frames; times are still counted from the same origin.
void narrow(InputRange& part, const Interval& interval) {
  const AVRational time_base = interval.video.time_base;
  const std::int64_t offset = part.offset(time_base);
  if (!interval.first) {
    part.cut = true;
    part.seeks = interval.seeks;
    part.start = av_rescale_q(interval.begin + offset, time_base, AV_TIME_BASE_Q);
  }
  if (interval.end != INT64_MAX)
    part.end = av_rescale_q(interval.end + offset, time_base, AV_TIME_BASE_Q);
}

// Returns where times begin to be counted: at `start`, or so shortly before it that all pictures
// and sounds are moved by whole ticks, however coarse. Otherwise they would not be moved alike.
std::int64_t whole_ticks(const AVFormatContext& container, std::int64_t start) {
  AVRational coarsest{1, 1000};
  bool is_coarse = false;
  for (unsigned i = 0; i < container.nb_streams; ++i) {
    const AVStream& stream = *container.streams[i];
    const AVMediaType type = stream.codecpar->codec_type;
    if ((type != AVMEDIA_TYPE_VIDEO && type != AVMEDIA_TYPE_AUDIO) ||
        av_cmp_q(stream.time_base, coarsest) <= 0)
      continue;
    coarsest = stream.time_base;
    is_coarse = true;
  }
  if (!is_coarse) return start;
  const std::int64_t ticks =
      av_rescale_q_rnd(av_sat_add64(start, 1), AV_TIME_BASE_Q, coarsest, AV_ROUND_DOWN);
  return av_rescale_q(ticks, coarsest, AV_TIME_BASE_Q);
}

}  // namespace

void InputRange::begin_no_later_than(std::int64_t time) {
  constexpr std::int64_t lead_in = AV_TIME_BASE;  // pictures and sound may begin a little before
  if (cut || !counted || time >= origin - lead_in) return;
  if (end != INT64_MAX) end -= start - time;
  start = origin = time;
}

std::int64_t InputRange::offset(AVRational time_base) const {
  return counted ? av_rescale_q(origin, AV_TIME_BASE_Q, time_base) : 0;
}

bool InputRange::take(AVPacket& packet, const AVStream& stream) const {
  constexpr std::int64_t none = AV_NOPTS_VALUE;
  if (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) return true;  // belongs to all times
  const std::int64_t time = packet.pts != none ? packet.pts : packet.dts;
  if (time != none) {
    const std::int64_t at = av_rescale_q(time, stream.time_base, AV_TIME_BASE_Q);
    if (begins_after(at) || at >= end) return false;
  }
  const std::int64_t by = offset(stream.time_base);
  if (packet.pts != none) packet.pts = av_sat_sub64(packet.pts, by);
  if (packet.dts != none) packet.dts = av_sat_sub64(packet.dts, by);
  return true;
}

InputClock clock_of(const AVFormatContext& container, const InputRange& part, AVRational time_base,
                    std::optional<std::int64_t> frames_before) {
  InputClock clock;
  clock.offset = part.offset(time_base);
  if (container.start_time != AV_NOPTS_VALUE) clock.start = container.start_time;
  if (part.counted && part.cut) clock.frames_before = frames_before;
  return clock;
}

InputRange input_range(const AVFormatContext& container, const SourceOptions& options) {
  const auto microseconds = [](double s) {
    return static_cast<std::int64_t>(std::clamp(s * AV_TIME_BASE, 0., 0x1p62));
  };
  InputRange part;
  if (container.start_time != AV_NOPTS_VALUE) part.start = container.start_time;
  if (options.start) {
    part.cut = true;
    part.start = av_sat_add64(part.start, microseconds(*options.start));
  }
  if (options.duration) part.end = av_sat_add64(part.start, microseconds(*options.duration));
  if (options.frames == 0) part.end = part.start;
  const bool from_zero = !options.copy_times && container.start_time != AV_NOPTS_VALUE;
  part.counted = part.cut || from_zero;
  part.origin = part.cut ? part.start : whole_ticks(container, part.start);
  if (options.interval) narrow(part, *options.interval);
  return part;
}

}  // namespace vidconv
