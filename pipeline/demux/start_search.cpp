#include "pipeline/demux/start_search.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

constexpr std::int64_t first_step = AV_TIME_BASE;  // back; doubled each time
// Decoders look ahead, and complain of what comes later. A complaint this far before the start is
// not about the range.
constexpr std::int64_t settling = std::int64_t{2} * AV_TIME_BASE;

}  // namespace

void StartSearch::go_back() {
  const std::int64_t origin =
      input_.container().start_time == AV_NOPTS_VALUE ? 0 : input_.container().start_time;
  while (start_ - back_ > origin) {
    const std::int64_t to = start_ - back_;
    back_ = back_ == 0 ? first_step : 2 * back_;
    if (!input_.seek(to)) continue;
    state_ = State::waits_for_key;
    return;
  }
  // Where there is no way to seek, all that comes before is decoded and dropped.
  state_ = State::begun;
  input_.rewind();
}

void StartSearch::end() {
  if (state_ != State::begun) state_ = State::too_late;
}

bool StartSearch::takes(const AVPacket& packet, AVRational time_base) {
  if (state_ != State::waits_for_key) return state_ != State::too_late;
  const bool key = packet.flags & AV_PKT_FLAG_KEY;
  const std::int64_t shown = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  const std::int64_t time = key || packet.dts == AV_NOPTS_VALUE ? shown : packet.dts;
  if (time != AV_NOPTS_VALUE && av_rescale_q(time, time_base, AV_TIME_BASE_Q) > start_)
    state_ = State::too_late;
  else if (key)
    state_ = State::waits_for_picture;
  return state_ == State::waits_for_picture;
}

bool StartSearch::judge(std::int64_t time, bool whole, bool complaints) {
  const bool before = whole && time <= start_ - settling;
  if (state_ != State::waits_for_picture) return before;
  if (time > start_ || (time == start_ && !whole) || (whole && complaints && !before))
    state_ = State::too_late;
  else if (whole)
    state_ = State::begun;
  return before;
}

}  // namespace vidconv
