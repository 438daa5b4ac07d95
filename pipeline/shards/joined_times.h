// JoinedTimes: sets the dts of packets of shards that were encoded apart.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "pipeline/av/av.h"

namespace vidconv {

// Each shard's encoder begins to decode before its first frame is shown, while frames of the shard
// before are still being decoded. Here the packets of all shards are one stream: a packet's dts is
// the time at which an earlier frame is shown, as many places before it as the encoder may move a
// frame, so that dts rise as the times of the frames do.
class JoinedTimes {
 public:
  // `least` is how many places the encoder reports, AVCodecContext::has_b_frames; not all report
  // it.
  explicit JoinedTimes(int least) : delay_(least) {}

  using Receive = std::function<void(AVPacket&)>;
  // Takes the next packet, with the encoder's own times, and moves from it. `shown` is when the
  // frame at the packet's place in display order is shown. Packets of the first shard wait until
  // they tell how far frames are moved. Throws Error(internal) for one that would come too late.
  void add(AVPacket& packet, std::int64_t shown, const Receive& receive);
  // Ends the packets of the first shard. Calling it again does nothing.
  void end_first_part(const Receive& receive);

 private:
  void begin(const Receive& receive);
  void set(AVPacket& packet, std::int64_t shown);

  int delay_;  // places
  bool begun_ = false;
  std::deque<std::pair<PacketPtr, std::int64_t>> waiting_;
  std::deque<std::int64_t> shown_;  // the last frames', as many as the delay
};

}  // namespace vidconv
