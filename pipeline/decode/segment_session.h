// SegmentSession: one decoder that works on parts of a stream, one after another.
#pragma once

#include <set>

#include "pipeline/decode/segment_queue.h"

namespace vidconv {

class SegmentSession {
 public:
  // Both outlive this object.
  SegmentSession(Decoder& decoder, SegmentQueue& queue) : decoder_(decoder), queue_(queue) {}

  // Decodes until there are no more parts. False where the device refused the decoder: the queue
  // knows it then.
  bool run();

 private:
  using Result = VideoDecoder::Result;
  // When the frames are shown that the decoder has been given and has not given back.
  using Times = std::multiset<std::int64_t>;

  // The part, but for the frames that the decoder still holds. False where it was refused; finish()
  // likewise.
  bool decode();
  // Brings out what the decoder holds, and makes it ready for another part.
  bool finish();
  // Takes what the decoder has, up to the first result that is not a frame.
  Result drain();
  StreamSegment& owner(const AVFrame& frame);
  bool refuse(PacketPtr packet);  // false

  Decoder& decoder_;
  SegmentQueue& queue_;
  SegmentPtr part_;
  Times times_;
  SegmentPtr before_;  // the last frames of which are still in the decoder
  Times times_before_;
};

}  // namespace vidconv
