// ShardSink: encodes the frames of one shard of a video into a file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pipeline/cluster/shard_writer.h"
#include "pipeline/encode/encoder.h"
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
  // After finish(): the file has its name then. Returns what its ledger has to say, without a key.
  ShardLedger publish() { return writer_.publish(); }

  std::int64_t frames() const override { return writer_.packets(); }
  std::int64_t bytes() const override { return writer_.bytes(); }
  std::string description() const override { return encoder_->description(); }

 private:
  const std::string path_;
  const std::int64_t frames_;
  const std::unique_ptr<Encoder> encoder_;
  ShardFileWriter writer_;
};

}  // namespace vidconv
