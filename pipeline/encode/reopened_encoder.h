// ReopenedEncoder: opens its encoder anew where pixels get another shape, because codecs say the
// shape in headers that come before key frames.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "pipeline/encode/encoder.h"
#include "pipeline/encode/video_encoder.h"
#include "pipeline/shards/joined_times.h"

namespace vidconv {

// The packets of a video whose pixels keep their shape are those of one Encoder. For containers
// that follow_aspect(), and keep no header of the codec.
class ReopenedEncoder final : public VideoEncoder {
 public:
  // Throws as the constructor of Encoder, also where the encoder is opened anew.
  ReopenedEncoder(const EncoderChoice& choice, const VideoInfo& video,
                  const EncoderOptions& options, const Notify& notify, const Notify& lose);

  void write(Frame frame, const Receive& receive) override;
  void finish(const Receive& receive) override;

  const AVCodec& codec() const override { return encoder_->codec(); }
  void describe(AVCodecParameters& to) const override { encoder_->describe(to); }
  const std::string& description() const override { return encoder_->description(); }
  std::int64_t frames_out() const override { return frames_before_ + encoder_->frames_out(); }
  bool joins_frames() const override { return encoder_->joins_frames(); }

 private:
  void reopen(AVRational aspect, const Receive& receive);
  void hand_out(AVPacket& packet, const Receive& receive);
  // Ends the sequence before the one that begins with this packet.
  void end_sequence(AVPacket& packet) const;

  const EncoderChoice choice_;
  VideoInfo video_;  // with the shape of the last picture
  const EncoderOptions options_;
  const Notify notify_, lose_;  // hear each line once
  std::unique_ptr<Encoder> encoder_;
  std::int64_t frames_before_ = 0;  // closed encoders' frames
  bool reopened_ = false, begins_ = false;
  JoinedTimes times_;
  std::deque<std::int64_t> shown_;    // when frames are shown whose packets have not come
  std::int64_t decoded_ = INT64_MIN;  // the last packet's dts
  const PacketPtr timing_;            // a packet without data
};

}  // namespace vidconv
