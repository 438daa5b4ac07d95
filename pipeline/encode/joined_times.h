// JoinedTimes: times of decoding for packets of parts that were encoded apart.
#pragma once

#include <cstdint>
#include <deque>

#include "pipeline/av/av.h"

namespace vidconv {

// Each part's encoder begins to decode before its first frame is shown, which is when the frames of
// the part before are still being decoded. Here the packets of all parts are one stream: a packet
// is decoded when the frame is shown that stands as many places before it as the encoder may move
// a frame, so that times rise as those of the frames do.
class JoinedTimes {
 public:
  // `delay`: frames, AVCodecContext::has_b_frames.
  explicit JoinedTimes(int delay) : delay_(delay) {}

  // Sets the time of decoding of the next packet; `shown`: when the frame is shown that stands
  // where the packet does. Throws Error(internal) for a packet that would come too late.
  void set(AVPacket& packet, std::int64_t shown);

 private:
  const int delay_;
  std::deque<std::int64_t> shown_;  // of the last frames, `delay_` of them and one
};

}  // namespace vidconv
