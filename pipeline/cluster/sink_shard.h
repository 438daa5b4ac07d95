// ShardSink: where the frames of one part of a video go.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pipeline/cluster/shard_writer.h"
#include "pipeline/encode/encoder.h"
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
