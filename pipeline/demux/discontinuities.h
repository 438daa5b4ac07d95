// Discontinuities: inputs whose clock begins anew on the way, as of joined recordings, discs and
// broadcasts. What follows is moved to go on where the part before ended, as FFmpeg's tools do it.
// Programs of a multiplex have clocks of their own: each is moved by itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
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

// Has the container begin where the program of its video number `video`, from 1, does. Returns,
// for people, which other programs have clocks of their own, and how far these are apart.
std::string begin_with_program_of(AVFormatContext& container, int video);

// For one pass over a container.
class Discontinuities {
 public:
  struct Options {
    int video = 1;               // which one the clocks of other programs go by
    bool leave = false;          // times are only looked at
    bool in_the_middle = false;  // reading does not begin at the beginning
  };

  // The container outlives this object. `notify` hears of each jump.
  Discontinuities(const AVFormatContext& container, const Options& options, Notify notify);

  // Moves the times of the next packet by what all streams of its program are moved by at this
  // place: sound and picture stay in step.
  void follow(AVPacket& packet);
  // Of the packet that follow() saw last.
  Follows follows() const { return follows_; }

 private:
  // All in microseconds.
  struct Stream {
    std::optional<int> clock;                       // of its program, as it was last listed
    std::optional<std::int64_t> first, last, next;  // packet, as moved; the next as it is expected
    std::optional<std::int64_t> of_input;           // the last one's time in the input
    std::int64_t longest_step = 0;                  // between two there
  };
  struct Clock {
    std::optional<std::int64_t> last;  // packet of any of its streams, as moved
    std::int64_t offset = 0;           // what is added to all times
  };

  void watch(const AVPacket& packet, Stream& stream, AVRational time_base);
  Clock& clock_at(int index);  // of the next packet of a stream
  // By how much a packet that is decoded at `time` is too late or, below 0, too early to go on.
  std::int64_t jump(const Stream& stream, const Clock& clock, std::int64_t time) const;
  void tell(int index, std::int64_t time, std::int64_t by) const;

  const AVFormatContext& container_;
  const Options options_;
  const bool restarts_;  // clocks that begin anew are usual in this kind of container
  const Notify notify_;
  const std::map<int, std::int64_t> starts_;  // by clock, as far as they are known in advance
  std::vector<Stream> streams_;
  std::map<int, Clock> clocks_;
  std::optional<std::int64_t> last_;  // of any stream, as moved
  Follows follows_ = Follows::on_time;
};

}  // namespace vidconv
