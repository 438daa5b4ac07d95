// JoinedStore: shards that are copied from the input, and those between that an earlier run has
// encoded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/shards/shard_store.h"
#include "pipeline/shards/stream_fit.h"
#include "pipeline/unchanged/kept_packets.h"

namespace vidconv {

class JoinedStore final : public ShardStore {
 public:
  // `encoded` keeps packets as the encoder has made them; `fit` makes them fit those of `copied`,
  // and may be null. `looked_at`: somebody looks at each frame that is not copied.
  JoinedStore(std::shared_ptr<KeptPackets> copied, std::shared_ptr<ShardStore> encoded,
              std::shared_ptr<const StreamFit> fit, bool looked_at);

  void begin(const ShardOptions& cut, const AVCodecParameters& parameters, AVRational time_base,
             const std::string& encoder) override;
  const std::vector<std::int64_t>& shards() const override { return shards_; }
  bool has(std::int64_t shard) const override {
    return copied_->has(shard) || encoded_->has(shard);
  }
  bool is_read(std::int64_t shard) const override { return looked_at_ && !copied_->has(shard); }
  std::int64_t frames() const override { return copied_->frames() + encoded_->frames(); }
  double seconds() const override { return copied_->seconds() + encoded_->seconds(); }
  std::unique_ptr<KeptShard> read(std::int64_t shard) const override;
  std::unique_ptr<ShardWriter> write(std::int64_t shard) override { return encoded_->write(shard); }
  void judge_later() override { encoded_->judge_later(); }
  void judged(std::int64_t shard) override { encoded_->judged(shard); }
  void refuse(std::int64_t shard) override { encoded_->refuse(shard); }

 private:
  const std::shared_ptr<KeptPackets> copied_;
  const std::shared_ptr<ShardStore> encoded_;
  const std::shared_ptr<const StreamFit> fit_;
  const bool looked_at_;
  std::vector<std::int64_t> shards_;
};

}  // namespace vidconv
