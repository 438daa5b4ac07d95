#include "pipeline/decode/segment_queue.h"

#include <algorithm>
#include <utility>

namespace vidconv {
namespace {

constexpr std::int64_t none = AV_NOPTS_VALUE;
// Packets that may wait: a bound for streams with few key frames.
constexpr std::size_t most_packets = 4096;
constexpr std::size_t always = 4;  // frames for which the first segment always has room

// Returns whether a decoder may join the segment. The first of all has nothing before it: whoever
// is at another one is ahead of it. Decoders of FFmpeg 7 and later refuse a BLA picture
// (begin_with()) that is numbered as one before it was.
bool may_join(const StreamSegment& part) {
  return part.number > 0 && (LIBAVCODEC_VERSION_MAJOR < 61 || part.first == none);
}

}  // namespace

SegmentQueue::SegmentQueue(const AVCodecParameters& parameters, const SegmentOptions& options)
    : parameters_(parameters), options_(options) {
  parts_.push_back(std::make_shared<StreamSegment>());
  waiting_.push_back(parts_.back());
}

void SegmentQueue::cancel() {
  const std::lock_guard lock(mutex_);
  turn(Course::cancelled);
  wake_all();
}

void SegmentQueue::wake_all() {
  ready_.notify_all();
  idle_.notify_all();
  joinable_.notify_all();
  for (const SegmentPtr& part : parts_) part->changed.notify_all();
}

SegmentQueue::Result SegmentQueue::send(const AVPacket* packet) {
  const std::lock_guard lock(mutex_);
  if (course_ == Course::refused) return Result::refused;
  if (!packet) {
    for (const SegmentPtr& part : parts_) complete(*part);
    reader_ = Reader::at_end;
    wake_all();
    return Result::done;
  }
  times_known_ = times_known_ && packet->pts != none;
  const Cut cut = times_known_ ? cut_at(*packet, parameters_) : Cut::no;
  const StreamSegment& last = *parts_.back();
  if (cut != Cut::no && last.sent >= static_cast<std::size_t>(options_.least_packets)) {
    if (tail_) complete(*tail_);
    begin_part(*packet, cut);
  } else if (tail_ && packet->pts != none && packet->pts < tail_->end) {
    append(*tail_, *packet);  // decoded by both; the new segment skips it or drops its frame
  } else if (tail_) {
    complete(*tail_);
    tail_.reset();
  }
  append(*parts_.back(), *packet);
  return Result::done;
}

void SegmentQueue::begin_part(const AVPacket& packet, Cut cut) {
  const SegmentPtr before = parts_.back();
  const auto part = std::make_shared<StreamSegment>();
  if (cut == Cut::open) {
    before->end = part->first = packet.pts;
    append(*before, packet);
    tail_ = before;
  } else {
    complete(*before);
    tail_.reset();
  }
  part->number = before->number + 1;
  parts_.push_back(part);
  waiting_.push_back(part);
  idle_.notify_one();
}

void SegmentQueue::append(StreamSegment& part, const AVPacket& packet) {
  PacketPtr copy = share_packet(packet);
  if (part.sent == 0 && part.first != none) begin_with(*copy, parameters_);
  part.packets.push_back(std::move(copy));
  ++part.sent;
  ++packets_;
  part.changed.notify_one();
}

void SegmentQueue::complete(StreamSegment& part) {
  part.complete = true;
  part.changed.notify_one();
  joinable_.notify_all();
}

SegmentQueue::Result SegmentQueue::receive(FramePtr& frame) {
  std::unique_lock lock(mutex_);
  if (!at_end()) reader_ = Reader::elsewhere;
  for (;;) {
    if (cancelled()) return Result::end;
    if (course_ == Course::failed) std::rethrow_exception(failure_);
    if (course_ == Course::refused) return Result::refused;
    StreamSegment& front = *parts_.front();
    if (!front.frames.empty()) {
      FramePtr next = std::move(front.frames.front());
      front.frames.pop_front();
      if (frames_-- >= options_.frames)
        for (const SegmentPtr& part : parts_) part->changed.notify_one();
      turn(Course::proven);
      if (!next) return Result::damaged;
      frame = std::move(next);
      return Result::done;
    }
    const bool done = front.output == StreamSegment::Output::ended;
    if (done && parts_.size() > 1) {
      parts_.pop_front();
      // The new first segment always has room. While it waits for a session, so have the others.
      for (const SegmentPtr& part : parts_) part->changed.notify_one();
      continue;
    }
    if (done && at_end()) return Result::end;
    const auto sessions = static_cast<std::size_t>(options_.sessions);
    // While the first segment waits, a session may need packets to finish its own segment; and
    // while one is to be joined to it, its last frames come out with the next ones.
    const bool enough =
        packets_ >= most_packets || (parts_.size() > 2 * sessions && !first_waits() &&
                                     front.output != StreamSegment::Output::held);
    if (!at_end() && (done || !enough)) {
      reader_ = Reader::asked;
      return Result::again;
    }
    ready_.wait(lock);
  }
}

std::size_t SegmentQueue::useful_sessions() const {
  const std::lock_guard lock(mutex_);
  return course_ == Course::proven ? parts_.size() : 1;
}

void SegmentQueue::add_session() {
  const std::lock_guard lock(mutex_);
  ++sessions_;
}

bool SegmentQueue::refused() const {
  const std::lock_guard lock(mutex_);
  return course_ == Course::refused;
}

std::string SegmentQueue::refusal() const {
  const std::lock_guard lock(mutex_);
  return refusal_;
}

SegmentPtr SegmentQueue::next_part() {
  std::unique_lock lock(mutex_);
  const auto none_left = [&] {
    return over() || (at_end() && waiting_.empty() && worked_on_ == 0);
  };
  idle_.wait(lock, [&] { return none_left() || !waiting_.empty(); });
  return none_left() ? nullptr : take_waiting();
}

SegmentPtr SegmentQueue::take_waiting() {
  SegmentPtr part = std::move(waiting_.front());
  waiting_.pop_front();
  ++worked_on_;
  return part;
}

// Waits for a complete segment: a decoder that has to wait for packets would keep the last frames
// of the segment before. While the stream is asked for packets, it keeps them no longer than a
// restart takes; otherwise other sessions have frames that come first.
SegmentPtr SegmentQueue::part_to_join(StreamSegment& before) {
  std::unique_lock lock(mutex_);
  if (!options_.join) return nullptr;
  const auto settled = [&] {
    if (over() || packets_ >= most_packets) return true;
    if (waiting_.empty()) return at_end();
    return waiting_.front()->complete || !may_join(*waiting_.front());
  };
  before.output = StreamSegment::Output::held;
  ready_.notify_one();
  while (!joinable_.wait_for(lock, options_.patience, settled) && reader_ != Reader::asked) {
  }
  before.output = StreamSegment::Output::coming;
  if (over() || waiting_.empty()) return nullptr;
  const StreamSegment& next = *waiting_.front();
  return may_join(next) && next.complete ? take_waiting() : nullptr;
}

PacketPtr SegmentQueue::next_packet(StreamSegment& part) {
  std::unique_lock lock(mutex_);
  part.changed.wait(lock, [&] { return cancelled() || part.complete || !part.packets.empty(); });
  if (cancelled() || part.packets.empty()) return nullptr;
  PacketPtr packet = std::move(part.packets.front());
  part.packets.pop_front();
  if (packets_-- == most_packets) ready_.notify_one();
  return packet;
}

// Frames that sessions have decoded must not keep them from the first segment.
bool SegmentQueue::has_room(const StreamSegment& part) const {
  return frames_ < options_.frames || first_waits() ||
         (&part == parts_.front().get() && part.frames.size() < always);
}

void SegmentQueue::put(StreamSegment& part, FramePtr frame) {
  std::unique_lock lock(mutex_);
  if (frame && part.end != none && frame->pts == part.end) return;
  part.changed.wait(lock, [&] { return cancelled() || has_room(part); });
  if (cancelled()) return;
  part.frames.push_back(std::move(frame));
  ++frames_;
  if (&part == parts_.front().get()) ready_.notify_one();
}

void SegmentQueue::end(StreamSegment& part) {
  const std::lock_guard lock(mutex_);
  part.output = StreamSegment::Output::ended;
  if (--worked_on_ == 0) idle_.notify_all();
  ready_.notify_one();
}

void SegmentQueue::refuse(const SegmentPtr& part, PacketPtr packet, const std::string& why) {
  const std::lock_guard lock(mutex_);
  const bool untouched = packet && part->packets.size() + 1 == part->sent;
  if (refusal_.empty()) refusal_ = why;
  if (--sessions_ == 0 || !untouched) {
    turn(Course::refused);
  } else {
    part->packets.push_front(std::move(packet));
    ++packets_;
    --worked_on_;
    waiting_.insert(std::ranges::find_if(
                        waiting_, [&](const SegmentPtr& o) { return o->number > part->number; }),
                    part);
  }
  wake_all();
}

void SegmentQueue::lose_session(const std::exception_ptr& why) {
  const std::lock_guard lock(mutex_);
  if (--sessions_ > 0) return;  // others do its work
  fail_with(why);
}

void SegmentQueue::fail(const std::exception_ptr& why) {
  const std::lock_guard lock(mutex_);
  fail_with(why);
}

void SegmentQueue::fail_with(const std::exception_ptr& why) {
  failure_ = why;
  turn(Course::failed);
  wake_all();
}

}  // namespace vidconv
