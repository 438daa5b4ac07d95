// EncoderTimes: keeps the times of frames for an encoder that does not keep them.
#pragma once

#include <cstdint>
#include <deque>

#include "pipeline/av/av.h"

namespace vidconv {

class EncoderTimes {
 public:
  // `counts_frames`: the encoder's times are frame numbers, not the video's. `joins_frames`: one
  // packet holds all frames. `encoder` outlives this object.
  EncoderTimes(const AVCodec& encoder, bool counts_frames, bool joins_frames)
      : encoder_(encoder), counts_frames_(counts_frames), joins_frames_(joins_frames) {}

  // Notes a frame that goes into the encoder with the time `inside`, and returns `inside`.
  std::int64_t keep(std::int64_t inside, const AVFrame& frame);
  // Sets the times of a packet that has come out to those of its frame.
  void restore(AVPacket& packet);

 private:
  struct Times {
    std::int64_t inside;  // the encoder's pts
    std::int64_t pts, duration;
  };
  const Times* find(std::int64_t inside) const;

  const AVCodec& encoder_;
  const bool counts_frames_, joins_frames_;
  std::deque<Times> held_;  // frames that a coming packet's pts or dts may mean
  Times first_{};
  bool begun_ = false;
};

}  // namespace vidconv
