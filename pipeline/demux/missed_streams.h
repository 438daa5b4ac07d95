// MissedStreams tells what a container's packets say of streams that were found too late to be in
// the output.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "pipeline/av/av.h"
#include "pipeline/base/notice.h"

namespace vidconv {

// Serves one pass over a container.
class MissedStreams {
 public:
  // Streams that the container gets from now on are found too late. The container and the `video`
  // that is filtered outlive this object. `lose` hears of each such stream, once.
  MissedStreams(const AVFormatContext& container, const AVStream& video, Notify lose);

  // Looks at a packet; must see every packet that is read.
  void see(const AVStream& stream, const AVPacket& packet);
  // Returns what is known of the end of the video if it goes on as another stream, else empty.
  std::string rest_of_video() const;

 private:
  const AVFormatContext& container_;
  const AVStream& video_;
  const Notify lose_;
  const int known_;                                                 // streams known at first
  std::set<int> named_;                                             // by index
  std::int64_t video_until_ = INT64_MIN, other_until_ = INT64_MIN;  // ends of packets, microseconds
};

}  // namespace vidconv
