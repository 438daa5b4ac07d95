// MissedStreams: what a container's packets say of streams that were found too late to be in the
// output.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "pipeline/av/av.h"
#include "pipeline/base/notice.h"

namespace vidconv {

// For one pass over a container.
class MissedStreams {
 public:
  // Streams that the container gets from now on are found too late. It and the `video` that is
  // filtered outlive this object. `lose` hears of each such stream, once.
  MissedStreams(const AVFormatContext& container, const AVStream& video, Notify lose);

  // Of every packet that is read.
  void see(const AVStream& stream, const AVPacket& packet);
  // What is known of the end of the video where it goes on as another stream, else empty.
  std::string rest_of_video() const;

 private:
  const AVFormatContext& container_;
  const AVStream& video_;
  const Notify lose_;
  const int known_;                                                 // streams
  std::set<int> named_;                                             // by index
  std::int64_t video_until_ = INT64_MIN, other_until_ = INT64_MIN;  // packets, microseconds
};

}  // namespace vidconv
