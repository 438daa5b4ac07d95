// FrameLookahead: decoded frames that wait for those behind them, where only these tell when they
// are shown: before the first time that is known, and where one frame is far ahead of all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "pipeline/av/av.h"
#include "pipeline/base/notice.h"
#include "pipeline/demux/frame_times.h"

namespace vidconv {

struct TimedFrame {
  FramePtr frame;
  FrameTimes::Shown shown;
};

// For one pass over a stream. All times are in its time base.
class FrameLookahead {
 public:
  struct Options {
    std::int64_t origin = 0;  // when frames begin whose times nobody knows
    bool patient = true;      // else no frame waits
    bool has_times = true;    // else a time that is not known is not waited for
    Notify notify;            // hears once of a time that was moved
  };
  explicit FrameLookahead(Options options) : options_(std::move(options)) {}

  // The next frame in the order in which they are shown; its `pts` is AV_NOPTS_VALUE where unknown.
  void add(FramePtr frame, const FrameTimes::Shown& shown);
  // No more frames: none waits any longer.
  void end() { ended_ = true; }
  // The first of them with the time at which it is shown. None where it waits, and where there is
  // none.
  std::optional<TimedFrame> take();

  std::size_t waiting() const { return waiting_.size(); }
  void clear() { waiting_.clear(); }

 private:
  bool set_unknown_time();
  // Whether the first is far ahead of those behind it; none where more of them are needed.
  std::optional<bool> is_ahead() const;
  void move_back();

  const Options options_;
  std::deque<TimedFrame> waiting_;
  std::optional<FrameTimes::Shown> last_;  // that was taken
  std::int64_t taken_ = 0;
  bool ended_ = false, told_ = false;
};

}  // namespace vidconv
