#include "pipeline/unchanged/changed_frames.h"

#include <algorithm>
#include <array>
#include <utility>

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

// A frame without a picture, which is all that filters' times and boxes ask for.
Frame frame_at(const VideoInfo& video, std::int64_t number, std::int64_t pts,
               std::int64_t duration) {
  FramePtr av = make_frame();
  av->format = video.format->id;
  av->width = video.width;
  av->height = video.height;
  av->pts = pts;
  set_frame_duration(*av, duration);
  return {std::move(av), number};
}

bool changes(const Work& work, const Frame& frame) {
  std::vector<PlacedBox> boxes;
  return std::ranges::any_of(work.steps, [&](const Step& step) {
    if (!work.acts_on_output(step)) return false;
    if (!step.light &&
        (step.action == Action::copy || (step.action == Action::filter && step.plan.is_copy())))
      return false;
    if (!step.where || !step.where->acts_in_boxes() || !work.boxes) return true;
    work.boxes->on(frame, work.clock, step.where->number_for_boxes(), step.where->shown(), false,
                   boxes);
    return !boxes.empty();
  });
}

}  // namespace

std::vector<bool> changed_frames(const TimedWork& work, const VideoInfo& video,
                                 std::vector<IndexedPacket> packets) {
  std::ranges::sort(packets, {}, &IndexedPacket::shown);
  const std::int64_t nominal =
      video.frame_rate.num > 0 ? av_rescale_q(1, av_inv_q(video.frame_rate), video.time_base) : 0;
  std::vector<bool> changed;
  changed.reserve(packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const IndexedPacket& packet = packets[i];
    // A decoder may say any of these, and boxes that stay for a time depend on it: either may have
    // more of them.
    std::vector<std::int64_t> durations;
    const std::int64_t gap = i + 1 < packets.size() ? packets[i + 1].shown - packet.shown : 0;
    for (const std::int64_t duration : {packet.duration, nominal, gap})
      if (duration > 0) durations.push_back(duration);
    if (durations.empty()) durations.push_back(1);
    const auto [least, most] = std::ranges::minmax(durations);
    changed.push_back(std::ranges::any_of(std::array{least, most}, [&](std::int64_t duration) {
      const Frame frame = frame_at(video, static_cast<std::int64_t>(i), packet.shown, duration);
      return !work.leaves_out(frame) && changes(work.cases()[work.case_of(frame)], frame);
    }));
  }
  return changed;
}

}  // namespace vidconv
