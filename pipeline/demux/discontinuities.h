// Discontinuities follows inputs whose clock begins anew on the way, as in joined recordings, discs
// and broadcasts. Packets after that are moved to go on where the ones before ended, as FFmpeg's
// tools do. Programs of a multiplex have clocks of their own: each is moved by itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/av/av.h"
#include "pipeline/base/notice.h"

namespace vidconv {

// Says how the time of a packet follows that of the one before it in its stream, in the input.
enum class Follows : std::uint8_t {
  on_time,
  late,  // something may be missing
  anew,  // the clock jumps: backwards, which nothing that is missing can cause, or far
};

// Makes the container begin where the program of its video number `video`, from 1, does. Returns a
// text for people: which other programs have clocks of their own, and how far these are apart.
std::string begin_with_program_of(AVFormatContext& container, int video);

// Serves one pass over a container.
class Discontinuities {
 public:
  struct Options {
    int video = 1;               // the video by which the clocks of other programs go
    bool leave = false;          // times are only looked at
    bool in_the_middle = false;  // reading does not begin at the beginning
  };

  // The container outlives this object. `notify` hears of each jump.
  Discontinuities(const AVFormatContext& container, const Options& options, Notify notify);

  // Moves the times of the next packet by what all streams of its program are moved by at this
  // place, so that sound and picture stay in step.
  void follow(AVPacket& packet);
  // Returns how the packet follows that follow() saw last.
  Follows follows() const { return follows_; }

 private:
  // All times are in microseconds.
  struct Stream {
    std::optional<int> clock;                       // its program's, as last listed
    std::optional<std::int64_t> first, last, next;  // packets, as moved; `next` is expected
    std::optional<std::int64_t> of_input;           // the last packet's time in the input
    std::int64_t longest_step = 0;                  // between two packets there
  };
  struct Clock {
    std::optional<std::int64_t> last;  // the last packet of its streams, as moved
    std::int64_t offset = 0;           // added to all times
  };

  void watch(const AVPacket& packet, Stream& stream, AVRational time_base);
  Clock& clock_at(int index);  // the clock of a stream's next packet
  // Returns by how much a packet that is decoded at `time` is too late or, below 0, too early to go
  // on.
  std::int64_t jump(const Stream& stream, const Clock& clock, std::int64_t time) const;
  void tell(int index, std::int64_t time, std::int64_t by) const;

  const AVFormatContext& container_;
  const Options options_;
  const bool restarts_;  // clocks that begin anew are usual in this kind of container
  const Notify notify_;
  const std::map<int, std::int64_t> starts_;  // by clock, as far as they are known in advance
  std::vector<Stream> streams_;
  std::map<int, Clock> clocks_;
  std::optional<std::int64_t> last_;  // the last packet of any stream, as moved
  Follows follows_ = Follows::on_time;
};

}  // namespace vidconv
