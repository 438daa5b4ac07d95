// ShardSink: encodes the frames of one shard of a video into a file.
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

// Throws Error(encoder_option) where this encoder's packets hold only a part of the picture, so
// that it cannot make shards for other hosts.
void check_cluster_encoder(const Encoder& encoder);

class ShardSink final : public Sink {
 public:
  // `plan` is that of the whole output. `frames` is how many frames have to come. Replaces a file
  // at `path`. Throws Error(output), and what check_cluster_encoder() throws.
  ShardSink(const OutputPlan& plan, const InputInfo& input, const std::string& path,
            std::int64_t frames);

  void write(Frame frame) override;
  void cancel() override { writer_.cancel(); }
  // Throws Error(part) where another number of frames has come. Does not give the file its name
  // yet.
  void finish() override;
  // Gives the file its name and returns its ledger, without a key. Call it after finish().
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
