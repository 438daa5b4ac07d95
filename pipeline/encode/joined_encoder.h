// JoinedEncoder: the encoder of a video whose parts were encoded elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/encode/encoder.h"
#include "pipeline/encode/video_encoder.h"
#include "pipeline/shards/joined_times.h"

namespace vidconv {

// Where encoded parts come from, in order.
class EncodedShards {
 public:
  virtual ~EncodedShards() = default;

  struct Part {
    std::vector<std::int64_t> shown;  // when its frames are, in order
    std::string header;               // of the encoder, as AVCodecParameters::extradata
  };
  // None after the last. Throws Error.
  virtual std::optional<Part> next() = 0;
  // The next packet of that part, which has as many as frames, with the times of its encoder.
  // Throws Error.
  virtual PacketPtr read() = 0;
  // Called with each packet before it comes out, when it has its time of decoding.
  virtual void before(const AVPacket& packet) = 0;
  virtual std::int64_t frames() const = 0;  // in all parts
};

// Takes no frames; finish() gives out the packets of all parts as ShardedEncoder does that has
// encoded the same.
class JoinedEncoder final : public VideoEncoder {
 public:
  // Of EncoderOptions::encoded. Throws as make_encoder().
  JoinedEncoder(const EncoderChoice& choice, const VideoInfo& video, const EncoderOptions& options,
                bool global_header, const Notify& notify, const Notify& lose);

  void write(Frame frame, const Receive& receive) override;
  void finish(const Receive& receive) override;

  const AVCodec& codec() const override { return encoder_->codec(); }
  void describe(AVCodecParameters& to) const override { encoder_->describe(to); }
  const std::string& description() const override { return encoder_->description(); }
  std::int64_t frames_out() const override { return frames_out_; }
  std::int64_t frames_brought() const override { return parts_.frames(); }
  bool joins_frames() const override { return false; }
  std::int64_t parts_out() const override { return parts_out_; }

 private:
  const std::unique_ptr<Encoder> encoder_;  // says what the container has to know; encodes nothing
  EncodedShards& parts_;
  std::int64_t frames_out_ = 0, parts_out_ = 0;
};

}  // namespace vidconv
