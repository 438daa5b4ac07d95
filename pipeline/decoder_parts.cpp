#include "pipeline/decoder_parts.h"

#include <algorithm>
#include <set>
#include <utility>

namespace vidconv {
namespace {

constexpr std::int64_t none = AV_NOPTS_VALUE;
constexpr std::size_t most_packets = 4096;  // that wait: a bound for streams with few key frames
constexpr int most_drain_failures = 1000;   // more than a decoder can hold packets
constexpr std::size_t always = 4;           // frames of the first part have room whatever waits

// When the frames are shown that a decoder has been given and has not given back.
struct Times {
  std::multiset<std::int64_t> times;
  bool erase_one(std::int64_t time) {
    const auto it = times.find(time);
    if (it == times.end()) return false;
    times.erase(it);
    return true;
  }
};

}  // namespace

struct PartedDecoder::Part {
  std::deque<PacketPtr> packets;
  std::int64_t first = none;        // the picture shown at this time begins the part; those that
  bool begun = true;                // come out before it are the part's before, as is the one
  std::int64_t end = none;          // shown at this time the next one's
  bool joins = false;               // may follow another part in the decoder
  std::size_t sent = 0;             // packets in all
  bool complete = false;            // no more packets will come
  std::deque<FramePtr> frames;      // nullptr: damage
  bool done = false;                // no more frames will come
  std::condition_variable changed;  // its session waits for packets, or for room
};

struct PartedDecoder::Session {
  Decoder& decoder;
  PartPtr part;
  Times times;
  PartPtr before;  // the last frames of which are still in the decoder
  Times times_before;
};

PartedDecoder::PartedDecoder(const AVStream& stream, MakeDecoder make, const PartedOptions& options)
    : parameters_(*stream.codecpar), make_(std::move(make)), options_(options) {
  std::unique_ptr<Decoder> first = make_();
  on_device_ = first->on_device();
  parts_.push_back(std::make_shared<Part>());
  waiting_.push_back(parts_.back());
  threads_.reserve(static_cast<std::size_t>(options.sessions));
  sessions_ = 1;
  threads_.emplace_back(
      [this, decoder = std::move(first)]() mutable { run_session(std::move(decoder)); });
}

PartedDecoder::~PartedDecoder() { cancel(); }

void PartedDecoder::cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  wake_all();
}

void PartedDecoder::wake_all() {
  ready_.notify_all();
  idle_.notify_all();
  for (const PartPtr& part : parts_) part->changed.notify_all();
}

VideoDecoder::Result PartedDecoder::send(const AVPacket* packet) {
  const std::lock_guard lock(mutex_);
  if (refused_) return Result::refused;
  if (!packet) {
    for (const PartPtr& part : parts_) complete(*part);
    ended_ = true;
    wake_all();
    return Result::done;
  }
  times_known_ = times_known_ && packet->pts != none;
  const Cut cut = times_known_ ? cut_at(*packet, parameters_) : Cut::no;
  Part& last = *parts_.back();
  if (cut != Cut::no && last.sent >= static_cast<std::size_t>(options_.least_packets)) {
    if (tail_) complete(*tail_);
    begin_part(*packet, cut);
  } else if (tail_ && packet->pts != none && packet->pts < tail_->end) {
    append(*tail_, *packet);  // decoded by both; the new part skips it or drops its frame
  } else if (tail_) {
    complete(*tail_);
    tail_.reset();
  }
  append(*parts_.back(), *packet);
  return Result::done;
}

void PartedDecoder::begin_part(const AVPacket& packet, Cut cut) {
  const PartPtr before = parts_.back();
  const auto part = std::make_shared<Part>();
  if (cut == Cut::open) {
    before->end = part->first = packet.pts;
    part->begun = false;
    append(*before, packet);
    tail_ = before;
  } else {
    complete(*before);
    tail_.reset();
  }
  part->joins = options_.join;
  parts_.push_back(part);
  waiting_.push_back(part);
  idle_.notify_one();
  if (proven_) start_sessions();
}

// As many as there are parts to decode. Under the mutex.
void PartedDecoder::start_sessions() {
  while (std::ssize(threads_) < options_.sessions && std::ssize(parts_) > std::ssize(threads_))
    start_session();
}

void PartedDecoder::start_session() {
  ++sessions_;
  threads_.emplace_back([this] {
    std::unique_ptr<Decoder> decoder;
    try {
      decoder = make_();
    } catch (...) {
      const std::lock_guard inner(mutex_);
      if (--sessions_ > 0) return;  // others do its part
      failure_ = std::current_exception();
      return wake_all();
    }
    run_session(std::move(decoder));
  });
}

void PartedDecoder::append(Part& part, const AVPacket& packet) {
  PacketPtr copy = share_packet(packet);
  if (part.sent == 0 && !part.begun) begin_with(*copy, parameters_);
  part.packets.push_back(std::move(copy));
  ++part.sent;
  ++packets_;
  part.changed.notify_one();
}

void PartedDecoder::complete(Part& part) {
  part.complete = true;
  part.changed.notify_one();
}

VideoDecoder::Result PartedDecoder::receive(FramePtr& frame) {
  std::unique_lock lock(mutex_);
  if (proven_ && !cancelled_) start_sessions();
  for (;;) {
    if (cancelled_) return Result::end;
    if (failure_) std::rethrow_exception(failure_);
    if (refused_) return Result::refused;
    Part& front = *parts_.front();
    if (!front.frames.empty()) {
      FramePtr next = std::move(front.frames.front());
      front.frames.pop_front();
      if (frames_-- >= options_.frames)
        for (const PartPtr& part : parts_) part->changed.notify_one();
      proven_ = true;
      if (!next) return Result::damaged;
      frame = std::move(next);
      return Result::done;
    }
    if (front.done && parts_.size() > 1) {
      parts_.pop_front();
      parts_.front()->changed.notify_one();  // it always has room now
      continue;
    }
    if (front.done) return ended_ ? Result::end : Result::again;
    const bool enough = std::ssize(parts_) > 2 * options_.sessions || packets_ >= most_packets;
    if (!ended_ && !enough) return Result::again;
    ready_.wait(lock);
  }
}

void PartedDecoder::run_session(std::unique_ptr<Decoder> decoder) {
  {
    const std::lock_guard lock(mutex_);
    decoders_.push_back(decoder.get());
  }
  std::exception_ptr failure;
  bool accepted = true;
  try {
    Session session{
        .decoder = *decoder, .part = next_part(), .times = {}, .before = {}, .times_before = {}};
    while (accepted && session.part) {
      accepted = decode(session);
      if (!accepted) break;
      if (PartPtr following = session.before ? nullptr : part_to_join()) {
        session.before = std::exchange(session.part, std::move(following));
        session.times_before = std::exchange(session.times, {});
      } else {
        accepted = finish(session);
        session.part = next_part();
      }
    }
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  std::erase(decoders_, decoder.get());
  if (failure) {
    failure_ = failure;
    wake_all();
  }
  if (!accepted) return;  // its complaints are not about the stream
  errors_ += decoder->errors();
  if (first_error_.empty()) first_error_ = decoder->first_error();
}

PartedDecoder::PartPtr PartedDecoder::next_part() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return cancelled_ || failure_ || ended_ || !waiting_.empty(); });
  return cancelled_ || failure_ || waiting_.empty() ? nullptr : take_waiting();
}

PartedDecoder::PartPtr PartedDecoder::take_waiting() {
  PartPtr part = std::move(waiting_.front());
  waiting_.pop_front();
  left_ = false;
  return part;
}

// One that is complete: a decoder that has to wait for packets would keep the last frames of the
// part before.
PartedDecoder::PartPtr PartedDecoder::part_to_join() {
  const std::lock_guard lock(mutex_);
  if (cancelled_ || failure_ || waiting_.empty()) return nullptr;
  const Part& next = *waiting_.front();
  if (!next.joins || !next.complete) return nullptr;
  return take_waiting();
}

PacketPtr PartedDecoder::next_packet(Part& part) {
  std::unique_lock lock(mutex_);
  part.changed.wait(lock, [&] { return cancelled_ || part.complete || !part.packets.empty(); });
  if (cancelled_ || part.packets.empty()) return nullptr;
  PacketPtr packet = std::move(part.packets.front());
  part.packets.pop_front();
  if (packets_-- == most_packets) ready_.notify_one();
  return packet;
}

bool PartedDecoder::decode(Session& session) {
  while (PacketPtr packet = next_packet(*session.part)) {
    session.times.times.insert(packet->pts);
    Result result = session.decoder.send(packet.get());
    if (result == Result::refused) return refuse(session, std::move(packet));
    if (result == Result::damaged) put(*session.part, nullptr);
    result = drain(session);
    if (result == Result::refused) return refuse(session, std::move(packet));
  }
  return true;
}

bool PartedDecoder::finish(Session& session) {
  session.decoder.send(nullptr);
  if (drain(session) == Result::refused) return refuse(session, nullptr);
  if (session.before) end(*session.before);
  end(*session.part);
  session.before.reset();
  session.times = session.times_before = {};
  session.decoder.restart();
  return true;
}

void PartedDecoder::end(Part& part) {
  const std::lock_guard lock(mutex_);
  part.done = true;
  ready_.notify_one();
}

// After no more than its first packet the part can be left to others, as if it had not been begun.
bool PartedDecoder::refuse(Session& session, PacketPtr packet) {
  const std::lock_guard lock(mutex_);
  Part& part = *session.part;
  const bool untouched = packet && !session.before && part.packets.size() + 1 == part.sent;
  if (refusal_.empty()) refusal_ = session.decoder.first_error();
  if (--sessions_ == 0 || !untouched) {
    refused_ = true;
  } else {
    part.packets.push_front(std::move(packet));
    ++packets_;
    waiting_.push_front(session.part);
    left_ = true;
  }
  wake_all();
  return false;
}

VideoDecoder::Result PartedDecoder::drain(Session& session) {
  for (int failures = 0;;) {
    FramePtr frame;
    const Result result = session.decoder.receive(frame);
    if (result == Result::damaged && ++failures < most_drain_failures) {
      put(*session.part, nullptr);
      continue;
    }
    if (result != Result::done) return result;
    Part& part = owner(session, *frame);
    if (!part.begun && frame->pts != none && frame->pts < part.first) continue;
    part.begun = true;
    if (part.end == none || frame->pts != part.end) put(part, std::move(frame));
  }
}

// The first frame that is not of the part before ends that.
PartedDecoder::Part& PartedDecoder::owner(Session& session, const AVFrame& frame) {
  if (session.before) {
    if (session.times_before.erase_one(frame.pts)) return *session.before;
    end(*std::exchange(session.before, nullptr));
  }
  session.times.erase_one(frame.pts);
  return *session.part;
}

// Where the first part is not decoded yet because it was left, what others have decoded must not
// keep them from it.
bool PartedDecoder::has_room(const Part& part) const {
  return frames_ < options_.frames || left_ ||
         (&part == parts_.front().get() && part.frames.size() < always);
}

void PartedDecoder::put(Part& part, FramePtr frame) {
  std::unique_lock lock(mutex_);
  part.changed.wait(lock, [&] { return cancelled_ || has_room(part); });
  if (cancelled_) return;
  part.frames.push_back(std::move(frame));
  ++frames_;
  if (&part == parts_.front().get()) ready_.notify_one();
}

std::int64_t PartedDecoder::errors() const {
  const std::lock_guard lock(mutex_);
  std::int64_t all = errors_;
  for (const Decoder* decoder : decoders_) all += decoder->errors();
  return all;
}

std::string PartedDecoder::first_error() const {
  const std::lock_guard lock(mutex_);
  if (refused_) return refusal_;
  if (!first_error_.empty()) return first_error_;
  for (const Decoder* decoder : decoders_)
    if (decoder->errors() > 0) return decoder->first_error();
  return "";
}

std::size_t PartedDecoder::memory() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const Decoder* decoder : decoders_) bytes += decoder->memory();
  return bytes;
}

}  // namespace vidconv
