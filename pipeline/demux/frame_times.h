// FrameTimes finds when the frames of a container's video are shown. Decoders do not always know,
// and broken inputs say the same time twice.
#pragma once

#include <cstdint>
#include <optional>

#include "pipeline/av/av.h"
#include "pipeline/base/notice.h"

namespace vidconv {

// Serves one pass over the stream. All times are in its time base.
class FrameTimes {
 public:
  // `stream` outlives this object. `notify` hears once that times had to be moved. `steady`: all
  // frames last as long as their rate says, whatever they say.
  FrameTimes(const AVStream& stream, Notify notify, bool steady = false)
      : stream_(stream), notify_(std::move(notify)), steady_(steady) {}

  struct Shown {
    std::int64_t pts, duration;  // AV_NOPTS_VALUE and 0 where unknown
  };
  // Returns when the decoder's next frame is shown: as it says, or else after the one before, at
  // the nominal `frame_rate` (0 if unknown).
  Shown find(const AVFrame& frame, AVRational frame_rate);

  // Gives the frame that is handed on as number `number` its time less `offset`, later than that of
  // the one before.
  void set(AVFrame& frame, const Shown& shown, std::int64_t offset, std::int64_t number);

  // Returns when the last frame ends.
  std::int64_t end() const { return next_; }

 private:
  const AVStream& stream_;
  const Notify notify_;
  const bool steady_;
  std::int64_t last_ = AV_NOPTS_VALUE;  // the last time set
  std::int64_t next_ = AV_NOPTS_VALUE;
  bool were_right_ = true;
};

}  // namespace vidconv
