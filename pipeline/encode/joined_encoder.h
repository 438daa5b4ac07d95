// JoinedEncoder: is the encoder of a video whose shards were encoded elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/encode/encoder.h"
#include "pipeline/encode/video_encoder.h"
#include "pipeline/shards/joined_times.h"

namespace vidconv {

// Delivers encoded shards, in order.
class EncodedShards {
 public:
  virtual ~EncodedShards() = default;

  struct Part {
    std::vector<std::int64_t> shown;  // when its frames are shown, in order
    // The encoder's, as AVCodecParameters::extradata; none where the input's packets are copied.
    std::optional<std::string> header;
  };
  // Returns none after the last. Throws Error.
  virtual std::optional<Part> next() = 0;
  // Returns the next packet of that shard, with its encoder's times; there are as many as frames.
  // Throws Error.
  virtual PacketPtr read() = 0;
  // Gets each packet before it comes out, when it has its dts.
  virtual void before(const AVPacket& packet) = 0;
  virtual std::int64_t frames() const = 0;  // in all shards
};

// Takes no frames; finish() gives out the packets of all shards, as a ShardedEncoder that encoded
// them itself would.
class JoinedEncoder final : public VideoEncoder {
 public:
  // Reads EncoderOptions::encoded. Throws as make_encoder().
  JoinedEncoder(const EncoderChoice& choice, const VideoInfo& video, const EncoderOptions& options,
                bool global_header, const Notify& notify, const Notify& lose);

  void write(Frame frame, const Receive& receive) override;
  void finish(const Receive& receive) override;

  const AVCodec& codec() const override { return encoder_->codec(); }
  void describe(AVCodecParameters& to) const override;
  const std::string& description() const override { return encoder_->description(); }
  std::int64_t frames_out() const override { return frames_out_; }
  std::int64_t frames_brought() const override { return parts_.frames(); }
  bool joins_frames() const override { return false; }
  std::int64_t parts_out() const override { return parts_out_; }

 private:
  const std::unique_ptr<Encoder> encoder_;  // describes the stream; encodes nothing
  EncodedShards& parts_;
  const std::shared_ptr<const StreamFit> fit_;  // ShardOptions::fit
  std::int64_t frames_out_ = 0, parts_out_ = 0;
};

}  // namespace vidconv
