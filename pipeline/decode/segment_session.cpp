#include "pipeline/decode/segment_session.h"

#include <utility>

namespace vidconv {
namespace {

constexpr int most_drain_failures = 1000;  // more than the packets that a decoder can hold

bool erase_one(std::multiset<std::int64_t>& times, std::int64_t time) {
  const auto it = times.find(time);
  if (it == times.end()) return false;
  times.erase(it);
  return true;
}

}  // namespace

bool SegmentSession::run() {
  part_ = queue_.next_part();
  while (part_) {
    if (!decode()) return false;
    if (SegmentPtr following = before_ ? nullptr : queue_.part_to_join(*part_)) {
      before_ = std::exchange(part_, std::move(following));
      times_before_ = std::exchange(times_, {});
    } else {
      if (!finish()) return false;
      part_ = queue_.next_part();
    }
  }
  return true;
}

bool SegmentSession::decode() {
  while (PacketPtr packet = queue_.next_packet(*part_)) {
    times_.insert(packet->pts);
    const Result sent = decoder_.send(packet.get());
    if (sent == Result::refused) return refuse(std::move(packet));
    if (sent == Result::damaged) queue_.put(*part_, nullptr);
    if (drain() == Result::refused) return refuse(std::move(packet));
  }
  return true;
}

bool SegmentSession::finish() {
  decoder_.send(nullptr);
  if (drain() == Result::refused) return refuse(nullptr);
  if (before_) queue_.end(*before_);
  queue_.end(*part_);
  before_.reset();
  times_.clear();
  times_before_.clear();
  decoder_.restart();
  return true;
}

bool SegmentSession::refuse(PacketPtr packet) {
  queue_.refuse(part_, before_ ? nullptr : std::move(packet), decoder_.first_error());
  return false;
}

SegmentSession::Result SegmentSession::drain() {
  for (int failures = 0;;) {
    FramePtr frame;
    const Result result = decoder_.receive(frame);
    if (result == Result::damaged && ++failures < most_drain_failures) {
      queue_.put(*part_, nullptr);
      continue;
    }
    if (result != Result::done) return result;
    StreamSegment& part = owner(*frame);
    if (part.first != AV_NOPTS_VALUE && frame->pts != AV_NOPTS_VALUE && frame->pts < part.first)
      continue;
    part.first = AV_NOPTS_VALUE;
    queue_.put(part, std::move(frame));
  }
}

// Returns the frame's segment. The first frame that is not of the segment before ends that one.
StreamSegment& SegmentSession::owner(const AVFrame& frame) {
  if (before_) {
    if (erase_one(times_before_, frame.pts)) return *before_;
    queue_.end(*std::exchange(before_, nullptr));
  }
  erase_one(times_, frame.pts);
  return *part_;
}

}  // namespace vidconv
