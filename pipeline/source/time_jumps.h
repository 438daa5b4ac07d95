// TimeJumps: inputs whose clock begins anew on the way, as of joined recordings, discs and
// broadcasts. What follows is moved to go on where the part before ended, as FFmpeg's tools do it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/av/av.h"
#include "pipeline/base/notice.h"

namespace vidconv {

// How the time of a packet follows that of the one before it in its stream, in the input.
enum class Follows : std::uint8_t {
  on_time,
  late,  // something may be missing
  anew,  // the clock jumps: backwards, which nothing that is missing can cause, or far
};

// For one pass over a container.
class TimeJumps {
 public:
  // The container outlives this object. `leave`: times are only looked at. `in_the_middle`: reading
  // does not begin at the beginning. `notify` hears of each jump.
  TimeJumps(const AVFormatContext& container, bool leave, bool in_the_middle, Notify notify);

  // Moves the times of the next packet by what all streams of the input are moved by at this place:
  // sound and picture stay in step.
  void follow(AVPacket& packet);
  // Of the packet that follow() saw last.
  Follows follows() const { return follows_; }

 private:
  // Of a stream, microseconds.
  struct Clock {
    std::optional<std::int64_t> first, last, next;  // packet, as moved; the next as it is expected
    std::optional<std::int64_t> of_input;           // the last one's time in the input
    std::int64_t longest_step = 0;                  // between two there
  };

  void watch(const AVPacket& packet, Clock& clock, AVRational time_base);
  // By how much a packet that is decoded at `time` is too late or, below 0, too early to go on.
  std::int64_t jump(const Clock& clock, std::int64_t time) const;
  void tell(std::int64_t time, std::int64_t by) const;

  const AVFormatContext& container_;
  const bool restarts_;  // clocks that begin anew are usual in this kind of container
  const bool leave_, in_the_middle_;
  const Notify notify_;
  std::vector<Clock> clocks_;         // by stream
  std::optional<std::int64_t> last_;  // of any stream, as moved
  std::int64_t offset_ = 0;           // what is added to all times, microseconds
  Follows follows_ = Follows::on_time;
};

}  // namespace vidconv
