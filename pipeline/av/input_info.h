// Describes an input before its first frame is read.
#pragma once

#include <atomic>
#include <vector>

#include "pipeline/av/av.h"
#include "pipeline/av/video.h"

namespace vidconv {

struct InputVideo {
  int stream = -1;  // index in the container; -1 where there is none
  VideoInfo info;
};

// Gives a sink the streams, chapters and metadata of an input to carry over. The demuxer changes
// them while it reads.
class UnreadContainer {
 public:
  UnreadContainer() = default;  // for an input that has none of these
  // `container` and `begun` outlive the object; `begun` becomes true when frames are read.
  UnreadContainer(const AVFormatContext& container, const std::atomic<bool>& begun)
      : container_(&container), begun_(&begun) {}

  // Returns nullptr where the input has no container. Throws Error(internal) once frames are read.
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
  std::vector<InputVideo> videos;  // at least one; Frame::video() is an index into it
  UnreadContainer container;
  bool has_manifest = false;  // has a provenance manifest (C2PA)
};

}  // namespace vidconv
