#include "pipeline/demux/frame_times.h"

#include <fmt/format.h>

#include <utility>

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {

FrameTimes::Shown FrameTimes::find(const AVFrame& frame, AVRational frame_rate) {
  std::int64_t pts = frame.best_effort_timestamp;
  if (pts == AV_NOPTS_VALUE || steady_) pts = next_;
  std::int64_t duration = frame_duration(frame);
  const std::int64_t nominal =
      frame_rate.num > 0 ? av_rescale_q(1, av_inv_q(frame_rate), stream_.time_base) : 0;
  // Where each field is a packet, decoders hand on the duration of one field.
  const bool of_one_field = frame.best_effort_timestamp == AV_NOPTS_VALUE && is_interlaced(frame) &&
                            duration * 4 <= nominal * 3;
  if (nominal > 0 && (duration <= 0 || steady_ || of_one_field)) duration = nominal;
  if (pts != AV_NOPTS_VALUE) next_ = av_sat_add64(pts, duration);
  return {pts, duration};
}

void FrameTimes::set(AVFrame& frame, const Shown& shown, std::int64_t offset, std::int64_t number) {
  std::int64_t pts = av_sat_sub64(shown.pts, offset);
  if (last_ != AV_NOPTS_VALUE && pts <= last_) {
    if (std::exchange(were_right_, false))
      notify(notify_, MessageKind::times_moved,
             fmt::format("the times of the input's frames do not grow: from frame {} on some are "
                         "moved",
                         number));
    pts = av_sat_add64(last_, 1);
  }
  frame.pts = last_ = pts;
  set_frame_duration(frame, shown.duration);
  next_ = av_sat_add64(av_sat_add64(pts, offset), shown.duration);
}

}  // namespace vidconv
