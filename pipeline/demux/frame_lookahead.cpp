#include "pipeline/demux/frame_lookahead.h"

#include <fmt/format.h>

#include <algorithm>

namespace vidconv {
namespace {

constexpr std::int64_t unknown = AV_NOPTS_VALUE;
// Most frames before the first that says its time; more would fill the memory for a broken file.
constexpr std::size_t most_unknown = 32;
// Frames that are looked at behind one that may be wrong: the majority decides.
constexpr std::size_t most_behind = 5;
// Durations of frames up to which a gap is nothing wrong.
constexpr std::int64_t usual_gap = 3;
// So many times that is far.
constexpr std::int64_t far_gaps = 100;

}  // namespace

void FrameLookahead::add(FramePtr frame, const FrameTimes::Shown& shown) {
  waiting_.push_back({std::move(frame), shown});
}

// Returns false if the time may still be found out.
bool FrameLookahead::set_unknown_time() {
  std::int64_t& pts = waiting_.front().shown.pts;
  if (pts != unknown) return true;
  if (last_) {
    pts = last_->pts + last_->duration;
    return true;
  }
  const auto known = std::ranges::find_if(
      waiting_, [](const TimedFrame& timed) { return timed.shown.pts != unknown; });
  if (known != waiting_.end()) {
    pts = known->shown.pts;
    for (auto it = waiting_.begin(); it != known; ++it) pts -= it->shown.duration;
    return true;
  }
  const bool waits = options_.patient && options_.has_times && !ended_;
  if (waits && waiting_.size() < most_unknown) return false;
  pts = options_.origin;
  return true;
}

std::optional<bool> FrameLookahead::is_ahead() const {
  if (!options_.patient || !options_.has_times) return false;
  const FrameTimes::Shown& shown = waiting_.front().shown;
  const std::int64_t gap = last_ ? shown.pts - last_->pts : 0;
  const std::int64_t usual = usual_gap * std::max(last_ ? last_->duration : 0, shown.duration);
  if (last_ && gap <= usual) return false;
  if (waiting_.size() < 2 && !ended_) return std::nullopt;
  const std::size_t behind = std::min(waiting_.size() - 1, most_behind);
  const auto is_before = [&](const TimedFrame& other) {
    return other.shown.pts != unknown && other.shown.pts < shown.pts;
  };
  if (behind < most_behind && !ended_) return std::nullopt;
  // With nothing before them, a clock that begins anew goes back less far than two wrong times.
  const auto right = std::find_if(waiting_.begin() + 1, waiting_.end(), is_before);
  if (!last_ && right > waiting_.begin() + 1 &&
      (right == waiting_.end() || shown.pts - right->shown.pts < far_gaps * usual))
    return false;
  const auto before = std::count_if(
      waiting_.begin() + 1, waiting_.begin() + 1 + static_cast<std::ptrdiff_t>(behind), is_before);
  return 2 * before > static_cast<std::ptrdiff_t>(behind);
}

// Moves the frame to between the one before it and the next that is not ahead.
void FrameLookahead::move_back() {
  FrameTimes::Shown& shown = waiting_.front().shown;
  const std::int64_t was = shown.pts;
  const auto right = std::find_if(waiting_.begin() + 1, waiting_.end(), [&](const auto& other) {
    return other.shown.pts != unknown && other.shown.pts < was;
  });
  const auto steps = right - waiting_.begin();
  const std::int64_t next = right->shown.pts;
  if (last_)
    shown.pts = std::max(last_->pts + 1, last_->pts + (next - last_->pts) / (steps + 1));
  else
    shown.pts = next - steps * std::max<std::int64_t>(1, shown.duration);
  shown.duration = std::min(shown.duration, std::max<std::int64_t>(0, next - shown.pts));
  if (std::exchange(told_, true)) return;
  notify(options_.notify, MessageKind::times_moved,
         fmt::format("frame {} of the input says a time far ahead of those that follow: it is "
                     "shown between its neighbours, as are others like it",
                     taken_));
}

std::optional<TimedFrame> FrameLookahead::take() {
  if (waiting_.empty() || !set_unknown_time()) return std::nullopt;
  const std::optional<bool> ahead = is_ahead();
  if (!ahead) return std::nullopt;
  if (*ahead) move_back();
  TimedFrame first = std::move(waiting_.front());
  waiting_.pop_front();
  last_ = first.shown;
  ++taken_;
  return first;
}

}  // namespace vidconv
