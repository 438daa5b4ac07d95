// SegmentSession is one decoder that works on segments of a stream, one after another.
#pragma once

#include <set>

#include "pipeline/decode/segment_queue.h"

namespace vidconv {

class SegmentSession {
 public:
  // Both arguments outlive this object.
  SegmentSession(Decoder& decoder, SegmentQueue& queue) : decoder_(decoder), queue_(queue) {}

  // Decodes until there are no more segments. Returns false if the device refused the decoder,
  // which the queue then knows.
  bool run();

 private:
  using Result = VideoDecoder::Result;
  // Times of the frames that the decoder has been given and has not given back.
  using Times = std::multiset<std::int64_t>;

  // Decodes the segment, but for the frames that the decoder still holds. Returns false if it was
  // refused, as finish() does.
  bool decode();
  // Brings out what the decoder holds, and makes it ready for another segment.
  bool finish();
  // Takes what the decoder has, up to the first result that is not a frame.
  Result drain();
  StreamSegment& owner(const AVFrame& frame);
  bool refuse(PacketPtr packet);  // returns false

  Decoder& decoder_;
  SegmentQueue& queue_;
  SegmentPtr part_;
  Times times_;
  SegmentPtr before_;  // its last frames are still in the decoder
  Times times_before_;
};

}  // namespace vidconv
