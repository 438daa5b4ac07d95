// StreamInfo holds what was found out about a container's streams, for whoever opens the same file
// once more. To find it out, pictures are decoded: 0.2 s of 4K.
#pragma once

#include <vector>

#include "pipeline/av/av.h"

namespace vidconv {

// Const members are thread-safe.
class StreamInfo {
 public:
  // `found`: a container whose streams were found. Copies what it needs.
  explicit StreamInfo(const AVFormatContext& found);

  // Describes the streams of a container that was just opened as avformat_find_stream_info() would.
  // Returns false, and changes nothing, if its header does not name the same streams, as in a file
  // that has changed; also for containers that do not say when each frame is shown, or that begin
  // with no header.
  bool describe(AVFormatContext& opened) const;

 private:
  struct Stream {
    int id;
    CodecParametersPtr parameters;
    AVRational time_base, rate, real_rate, sample_aspect;
    std::int64_t start, duration, frames;
  };

  const AVInputFormat* const format_;
  const std::int64_t start_, duration_;
  std::vector<Stream> streams_;
};

}  // namespace vidconv
