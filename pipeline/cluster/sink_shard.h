// ShardSink: where the frames of one part of a video go.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pipeline/cluster/shard_file.h"
#include "pipeline/encode/encoder.h"
#include "pipeline/io/byte_io.h"
#include "pipeline/io/partial_file.h"
#include "pipeline/sink/muxer.h"
#include "pipeline/sink/sink.h"

namespace vidconv {

// Throws Error(encoder_option) where packets of this encoder hold only a part of the picture, so
// that parts for other hosts cannot be made by it.
void check_cluster_encoder(const Encoder& encoder);

class ShardSink final : public Sink {
 public:
  // `plan`: of the whole output, which the part is for. `frames`: that have to come. What is at
  // `path` is replaced. Throws Error(output), and what check_cluster_encoder() throws.
  ShardSink(const OutputPlan& plan, const InputInfo& input, const std::string& path,
            std::int64_t frames);

  void write(Frame frame) override;
  void cancel() override { writer_.cancel(); }
  // Throws Error(part) where another number of frames has come. Gives it no name yet.
  void finish() override;
  // After finish(): the file has its name then. Returns what its ledger has to say, without a key.
  ShardLedger publish();

  std::int64_t frames() const override { return static_cast<std::int64_t>(ledger_.packets.size()); }
  std::int64_t bytes() const override { return writer_.bytes(); }
  std::string description() const override { return encoder_->description(); }

 private:
  void mux(AVPacket& packet);

  const std::string path_;
  const AVRational time_base_;
  const std::int64_t frames_;
  const std::unique_ptr<Encoder> encoder_;
  PartialFile file_;
  ByteWriter writer_;
  Muxer muxer_;
  AVStream* stream_ = nullptr;
  ShardLedger ledger_;
};

}  // namespace vidconv
