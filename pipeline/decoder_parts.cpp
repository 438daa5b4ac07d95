#include "pipeline/decoder_parts.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace vidconv {
namespace {

constexpr std::int64_t none = AV_NOPTS_VALUE;
constexpr std::size_t most_packets = 4096;  // that wait: a bound for streams with few key frames
constexpr int most_drain_failures = 1000;   // more than a decoder can hold packets

// Calls see(first byte of the NAL unit) for each, until it returns true.
template <class See>
void for_each_nal(const AVPacket& packet, int length_bytes, See&& see) {
  const std::span data(packet.data, static_cast<std::size_t>(packet.size));
  if (length_bytes > 0) {
    const auto step = static_cast<std::size_t>(length_bytes);
    for (std::size_t at = 0; at + step < data.size();) {
      std::size_t length = 0;
      for (std::size_t i = 0; i < step; ++i) length = length << 8 | data[at + i];
      at += step;
      if (see(data[at])) return;
      if (length > data.size() - at) return;
      at += length;
    }
    return;
  }
  for (std::size_t at = 0; at + 3 < data.size(); ++at)  // start codes
    if (data[at] == 0 && data[at + 1] == 0 && data[at + 2] == 1 && see(data[at + 3])) return;
}

// Bytes of the length before each NAL unit, as avcC and hvcC say; 0: start codes.
int nal_length_bytes(const AVCodecParameters& parameters) {
  const bool h264 = parameters.codec_id == AV_CODEC_ID_H264;
  const std::size_t at = h264 ? 4 : 21;
  if (parameters.extradata_size <= static_cast<int>(at) || parameters.extradata[0] != 1) return 0;
  return (parameters.extradata[at] & 3) + 1;
}

}  // namespace

Cut cut_at(const AVPacket& packet, const AVCodecParameters& parameters) {
  if (!(packet.flags & AV_PKT_FLAG_KEY) || packet.pts == none) return Cut::no;
  Cut cut = Cut::no;
  switch (parameters.codec_id) {
    case AV_CODEC_ID_H264:  // other key frames may be recovery points, exact only some frames later
      for_each_nal(packet, nal_length_bytes(parameters), [&](std::uint8_t first) {
        const int type = first & 0x1F;
        if (type == 5) cut = Cut::clean;
        return type == 5 || type == 1;
      });
      return cut;
    case AV_CODEC_ID_HEVC:
      for_each_nal(packet, nal_length_bytes(parameters), [&](std::uint8_t first) {
        const int type = first >> 1 & 0x3F;
        if (type == 19 || type == 20) cut = Cut::clean;  // IDR
        if (type == 21) cut = Cut::open;                 // CRA
        return type < 32;
      });
      return cut;
    case AV_CODEC_ID_VP8:
    case AV_CODEC_ID_VP9:
    case AV_CODEC_ID_AV1:
    case AV_CODEC_ID_MJPEG:
      return Cut::clean;
    default:
      return Cut::no;
  }
}

struct PartedDecoder::Part {
  std::deque<PacketPtr> packets;
  std::size_t sent = 0;                                           // packets in all
  bool complete = false;                                          // no more packets will come
  std::int64_t first = std::numeric_limits<std::int64_t>::min();  // frames shown earlier, and
  std::int64_t end = std::numeric_limits<std::int64_t>::max();    // from then on, are another's
  std::deque<FramePtr> frames;                                    // nullptr: damage
  bool done = false;                                              // no more frames will come
};

PartedDecoder::PartedDecoder(const AVStream& stream, MakeDecoder make, const PartedOptions& options)
    : parameters_(*stream.codecpar), make_(std::move(make)), options_(options) {
  std::unique_ptr<Decoder> first = make_();
  on_device_ = first->on_device();
  parts_.push_back(std::make_shared<Part>());
  waiting_.push_back(parts_.back());
  threads_.reserve(static_cast<std::size_t>(options.sessions));
  threads_.emplace_back([this, decoder = std::move(first)]() mutable { work(std::move(decoder)); });
}

PartedDecoder::~PartedDecoder() { cancel(); }

void PartedDecoder::cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  changed_.notify_all();
}

VideoDecoder::Result PartedDecoder::send(const AVPacket* packet) {
  const std::lock_guard lock(mutex_);
  if (refused_) return Result::refused;
  changed_.notify_all();
  if (!packet) {
    for (const auto& part : parts_) part->complete = true;
    ended_ = true;
    return Result::done;
  }
  times_known_ = times_known_ && packet->pts != none;
  const Cut cut = times_known_ ? cut_at(*packet, parameters_) : Cut::no;
  Part& last = *parts_.back();
  if (cut != Cut::no && last.sent >= static_cast<std::size_t>(options_.least_packets)) {
    if (tail_) tail_->complete = true;
    begin_part(*packet, cut);
  } else if (tail_ && packet->pts != none && packet->pts < tail_->end) {
    append(*tail_, *packet);  // decoded by both; the new part skips it or drops its frame
  } else if (tail_) {
    tail_->complete = true;
    tail_.reset();
  }
  append(*parts_.back(), *packet);
  return Result::done;
}

void PartedDecoder::begin_part(const AVPacket& packet, Cut cut) {
  const std::shared_ptr<Part> before = parts_.back();
  const auto part = std::make_shared<Part>();
  if (cut == Cut::open) {
    before->end = part->first = packet.pts;
    append(*before, packet);
    tail_ = before;
  } else {
    before->complete = true;
    tail_.reset();
  }
  parts_.push_back(part);
  waiting_.push_back(part);
  if (std::ssize(threads_) < options_.sessions && std::ssize(parts_) > std::ssize(threads_))
    threads_.emplace_back([this] {
      try {
        work(make_());
      } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
        changed_.notify_all();
      }
    });
}

void PartedDecoder::append(Part& part, const AVPacket& packet) {
  PacketPtr copy = make_packet();
  if (av_packet_ref(copy.get(), &packet) < 0) throw Error(Fault::internal, "out of memory", "", "");
  part.packets.push_back(std::move(copy));
  ++part.sent;
  ++packets_;
}

VideoDecoder::Result PartedDecoder::receive(FramePtr& frame) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (cancelled_) return Result::end;
    if (failure_) std::rethrow_exception(failure_);
    if (refused_) return Result::refused;
    Part& front = *parts_.front();
    if (!front.frames.empty()) {
      FramePtr next = std::move(front.frames.front());
      front.frames.pop_front();
      changed_.notify_all();
      if (!next) return Result::damaged;
      frame = std::move(next);
      return Result::done;
    }
    if (front.done) {
      if (parts_.size() == 1) {
        if (ended_) return Result::end;
        return Result::again;
      }
      parts_.pop_front();
      continue;
    }
    const bool enough = std::ssize(parts_) > options_.sessions + 1 || packets_ >= most_packets;
    if (!ended_ && !enough) return Result::again;
    changed_.wait(lock);
  }
}

void PartedDecoder::work(std::unique_ptr<Decoder> decoder) {
  {
    const std::lock_guard lock(mutex_);
    decoders_.push_back(decoder.get());
  }
  try {
    while (const std::shared_ptr<Part> part = next_part()) {
      decode(*decoder, *part);
      decoder->restart();
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    changed_.notify_all();
  }
  const std::lock_guard lock(mutex_);
  errors_ += decoder->errors();
  if (first_error_.empty()) first_error_ = decoder->first_error();
  std::erase(decoders_, decoder.get());
}

std::shared_ptr<PartedDecoder::Part> PartedDecoder::next_part() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return cancelled_ || failure_ || ended_ || !waiting_.empty(); });
  if (cancelled_ || failure_ || waiting_.empty()) return nullptr;
  auto part = std::move(waiting_.front());
  waiting_.pop_front();
  return part;
}

PacketPtr PartedDecoder::next_packet(Part& part) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return cancelled_ || part.complete || !part.packets.empty(); });
  if (cancelled_ || part.packets.empty()) return nullptr;
  PacketPtr packet = std::move(part.packets.front());
  part.packets.pop_front();
  --packets_;
  changed_.notify_all();
  return packet;
}

void PartedDecoder::decode(Decoder& decoder, Part& part) {
  int failures = 0;
  const auto handle = [&](Result result) {
    if (result == Result::refused) {
      const std::lock_guard lock(mutex_);
      refused_ = true;
      changed_.notify_all();
      return false;
    }
    return result != Result::damaged || (put(part, nullptr) && ++failures < most_drain_failures);
  };
  Result result = Result::again;
  while (const PacketPtr packet = next_packet(part)) {
    if (!handle(decoder.send(packet.get()))) return;
    while ((result = drain(decoder, part)) == Result::damaged)
      if (!handle(result)) return;
    if (!handle(result)) return;
    failures = 0;
  }
  decoder.send(nullptr);
  while ((result = drain(decoder, part)) == Result::damaged)
    if (!handle(result)) break;
  if (!handle(result)) return;
  const std::lock_guard lock(mutex_);
  part.done = true;
  changed_.notify_all();
}

VideoDecoder::Result PartedDecoder::drain(Decoder& decoder, Part& part) {
  for (;;) {
    FramePtr frame;
    const Result result = decoder.receive(frame);
    if (result != Result::done) return result;
    const std::int64_t time = frame->pts;
    if (time != none && (time < part.first || time >= part.end)) continue;
    if (!put(part, std::move(frame))) return Result::end;
  }
}

bool PartedDecoder::put(Part& part, FramePtr frame) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return cancelled_ || std::ssize(part.frames) < options_.frames; });
  if (cancelled_) return false;
  part.frames.push_back(std::move(frame));
  changed_.notify_all();
  return true;
}

std::int64_t PartedDecoder::errors() const {
  const std::lock_guard lock(mutex_);
  std::int64_t all = errors_;
  for (const Decoder* decoder : decoders_) all += decoder->errors();
  return all;
}

std::string PartedDecoder::first_error() const {
  const std::lock_guard lock(mutex_);
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
