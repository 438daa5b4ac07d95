// Arrivals: whether a container has delivered what its header promises.
#pragma once

#include <cstdint>
#include <string>

#include "pipeline/av.h"

namespace vidconv {

class Arrivals {
 public:
  // Before the first packet is read. Both outlive this object.
  Arrivals(const AVFormatContext& container, AVStream& video);

  void count(const AVPacket& packet);

  // After the last packet: what is missing, for people; empty where nothing is known to be.
  std::string missing() const;

 private:
  // How long the header says it is, microseconds; 0 where it says nothing. Guesses do not count.
  std::int64_t claimed_duration() const;

  const AVFormatContext& container_;
  const AVStream& video_;
  std::int64_t indexed_ = 0;  // video packets that a complete index lists; 0: there is none
  std::int64_t packets_ = 0;  // of the video
  std::int64_t until_ = 0;    // when the last of it ends, microseconds of the container's time
};

}  // namespace vidconv
