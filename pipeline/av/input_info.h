// What an input says of itself before its first frame is read.
#pragma once

#include <atomic>
#include <vector>

#include "pipeline/av/av.h"
#include "pipeline/av/video.h"

namespace vidconv {

struct InputVideo {
  int stream = -1;  // of the container; -1 where there is none
  VideoInfo info;
};

// Streams, chapters and metadata of an input, for a sink to carry over. The demuxer changes them
// while it reads.
class UnreadContainer {
 public:
  UnreadContainer() = default;  // of an input that has none of these
  // Both outlive it; `begun` becomes true when frames are read.
  UnreadContainer(const AVFormatContext& container, const std::atomic<bool>& begun)
      : container_(&container), begun_(&begun) {}

  // nullptr where the input has none. Throws Error(internal) once frames are read.
  const AVFormatContext* get() const {
    if (begun_ && *begun_)
      throw Error(Fault::internal, "the description of the input is read too late", "", "");
    return container_;
  }

 private:
  const AVFormatContext* container_ = nullptr;
  const std::atomic<bool>* begun_ = nullptr;
};

struct InputInfo {
  std::vector<InputVideo> videos;  // at least one; Frame::video() counts them
  UnreadContainer container;
  bool has_manifest = false;  // of where it comes from (C2PA)
};

}  // namespace vidconv
