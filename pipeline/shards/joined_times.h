// JoinedTimes: times of decoding for packets of parts that were encoded apart.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "pipeline/av/av.h"

namespace vidconv {

// Each part's encoder begins to decode before its first frame is shown, which is when the frames of
// the part before are still being decoded. Here the packets of all parts are one stream: a packet
// is decoded when the frame is shown that stands as many places before it as the encoder may move
// a frame, so that times rise as those of the frames do.
class JoinedTimes {
 public:
  // `least`: how many places the encoder says, AVCodecContext::has_b_frames; not all say it.
  explicit JoinedTimes(int least) : delay_(least) {}

  using Receive = std::function<void(AVPacket&)>;
  // The next packet, which is moved from, with the encoder's own times; `shown`: when the frame is
  // shown that stands where the packet does. Those of the first part wait until they tell how far
  // they are moved. Throws Error(internal) for one that would come too late.
  void add(AVPacket& packet, std::int64_t shown, const Receive& receive);
  // No more packets of the first part. Calling it again does nothing.
  void end_first_part(const Receive& receive);

 private:
  void begin(const Receive& receive);
  void set(AVPacket& packet, std::int64_t shown);

  int delay_;  // places
  bool begun_ = false;
  std::deque<std::pair<PacketPtr, std::int64_t>> waiting_;
  std::deque<std::int64_t> shown_;  // of the last frames, as many as the delay
};

}  // namespace vidconv
