// FrameLookahead holds decoded frames until those behind them tell when they are shown: before the
// first time that is known, and where one frame is far ahead of all others.
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

// Serves one pass over a stream. All times are in its time base.
class FrameLookahead {
 public:
  struct Options {
    std::int64_t origin = 0;  // when frames with unknown times begin
    bool patient = true;      // false: no frame waits
    bool has_times = true;    // false: no frame waits for an unknown time
    Notify notify;            // hears once of a time that was moved
  };
  explicit FrameLookahead(Options options) : options_(std::move(options)) {}

  // Adds the next frame in display order; its `pts` is AV_NOPTS_VALUE if unknown.
  void add(FramePtr frame, const FrameTimes::Shown& shown);
  // Says that no more frames come: none waits any longer.
  void end() { ended_ = true; }
  // Returns the first frame with the time at which it is shown; none if it waits, or if there is
  // none.
  std::optional<TimedFrame> take();

  std::size_t waiting() const { return waiting_.size(); }
  void clear() { waiting_.clear(); }

 private:
  bool set_unknown_time();
  // Returns whether the first is far ahead of those behind it; none if more of them are needed.
  std::optional<bool> is_ahead() const;
  void move_back();

  const Options options_;
  std::deque<TimedFrame> waiting_;
  std::optional<FrameTimes::Shown> last_;  // the last one taken
  std::int64_t taken_ = 0;
  bool ended_ = false, told_ = false;
};

}  // namespace vidconv
