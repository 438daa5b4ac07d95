// StreamInfo: what was found out of a container's streams, for whoever opens the same file once
// more. To find it out, pictures are decoded: 0.2 s of 4K.
#pragma once

#include <vector>

#include "pipeline/av/av.h"

namespace vidconv {

// Every const member may be called from any thread.
class StreamInfo {
 public:
  // Of a container whose streams were found. Copies what it needs.
  explicit StreamInfo(const AVFormatContext& found);

  // Describes the streams of a container that was just opened as avformat_find_stream_info() would.
  // False, and nothing is changed, where its header does not name the same streams, as that of a
  // file that has changed; and for containers that do not say when each frame is shown, or begin
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
