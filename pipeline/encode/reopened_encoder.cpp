#include "pipeline/encode/reopened_encoder.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "pipeline/av/pixel_aspect.h"
#include "pipeline/base/error.h"

namespace vidconv {
namespace {

// Each encoder says what it converts and loses, mostly the same.
Notify each_line_once(const Notify& to) {
  return [to, said = std::make_shared<std::set<std::string>>()](MessageKind kind,
                                                                const std::string& line) {
    if (said->insert(line).second) notify(to, kind, line);
  };
}

}  // namespace

ReopenedEncoder::ReopenedEncoder(const EncoderChoice& choice, const VideoInfo& video,
                                 const EncoderOptions& options, const Notify& notify,
                                 const Notify& lose)
    : choice_(choice),
      video_(video),
      options_(options),
      notify_(each_line_once(notify)),
      lose_(each_line_once(lose)),
      encoder_(std::make_unique<Encoder>(choice, video, options, false, notify_, lose_)),
      times_(encoder_->context().has_b_frames),
      timing_(make_packet()) {}

void ReopenedEncoder::write(Frame frame, const Receive& receive) {
  const AVRational aspect = frame.av().sample_aspect_ratio;
  if (aspect.num > 0 && !same_aspect(aspect, video_.sample_aspect)) reopen(aspect, receive);
  shown_.push_back(frame.av().pts);
  encoder_->write(std::move(frame), [&](AVPacket& packet) { hand_out(packet, receive); });
}

void ReopenedEncoder::finish(const Receive& receive) {
  encoder_->finish([&](AVPacket& packet) { hand_out(packet, receive); });
}

void ReopenedEncoder::reopen(AVRational aspect, const Receive& receive) {
  video_.sample_aspect = aspect;
  if (!shown_.empty() || encoder_->frames_out() > 0) {
    finish(receive);
    times_.end_first_part([](AVPacket&) {});
    frames_before_ += encoder_->frames_out();
    reopened_ = begins_ = true;
  }
  encoder_.reset();
  encoder_ = std::make_unique<Encoder>(choice_, video_, options_, false, notify_, lose_);
}

// Within a sequence of MPEG-1 or MPEG-2, headers that come again say the same (ITU-T H.262,
// 6.1.1.6).
void ReopenedEncoder::end_sequence(AVPacket& packet) const {
  constexpr std::uint8_t end[] = {0, 0, 1, 0xb7};
  if (codec().id != AV_CODEC_ID_MPEG1VIDEO && codec().id != AV_CODEC_ID_MPEG2VIDEO) return;
  if (av_grow_packet(&packet, sizeof end) < 0) throw_out_of_memory("for the encoder", codec().name);
  std::memmove(packet.data + sizeof end, packet.data,
               static_cast<std::size_t>(packet.size) - sizeof end);
  std::ranges::copy(end, packet.data);
}

// The first encoder's packets keep its times, of which JoinedTimes hears, so that those of the next
// encoders go on from there.
void ReopenedEncoder::hand_out(AVPacket& packet, const Receive& receive) {
  if (shown_.empty())
    throw Error(MessageKind::unaccounted, "the encoder made up frames", codec().name,
                "more came out than went in");
  const std::int64_t shown = shown_.front();
  shown_.pop_front();
  if (!reopened_) {
    timing_->pts = packet.pts;
    timing_->dts = packet.dts;
    timing_->duration = packet.duration;
    times_.add(*timing_, shown, [](AVPacket&) {});
    decoded_ = packet.dts;
    return receive(packet);
  }
  if (std::exchange(begins_, false)) end_sequence(packet);
  times_.add(packet, shown, [&](AVPacket& joined) {
    if (joined.dts <= decoded_) joined.dts = std::min(decoded_ + 1, joined.pts);
    decoded_ = joined.dts;
    receive(joined);
  });
}

}  // namespace vidconv
