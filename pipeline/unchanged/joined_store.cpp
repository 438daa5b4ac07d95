#include "pipeline/unchanged/joined_store.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vidconv {
namespace {

class FittedShard final : public KeptShard {
 public:
  FittedShard(std::unique_ptr<KeptShard> shard, const StreamFit& fit)
      : shard_(std::move(shard)), fit_(fit) {}

  const std::vector<std::int64_t>& shown() const override { return shard_->shown(); }
  PacketPtr read() override {
    PacketPtr packet = shard_->read();
    fit_.fit(*packet);
    return packet;
  }

 private:
  const std::unique_ptr<KeptShard> shard_;
  const StreamFit& fit_;
};

}  // namespace

JoinedStore::JoinedStore(std::shared_ptr<KeptPackets> copied, std::shared_ptr<ShardStore> encoded,
                         std::shared_ptr<const StreamFit> fit, bool looked_at)
    : copied_(std::move(copied)),
      encoded_(std::move(encoded)),
      fit_(std::move(fit)),
      looked_at_(looked_at) {}

void JoinedStore::begin(const ShardOptions& cut, const AVCodecParameters& parameters,
                        AVRational time_base, const std::string& encoder) {
  encoded_->begin(cut, parameters, time_base, encoder);
  shards_.clear();
  std::ranges::merge(copied_->shards(), encoded_->shards(), std::back_inserter(shards_));
}

std::unique_ptr<KeptShard> JoinedStore::read(std::int64_t shard) const {
  if (copied_->has(shard)) return copied_->read(shard);
  auto kept = encoded_->read(shard);
  if (!fit_) return kept;
  return std::make_unique<FittedShard>(std::move(kept), *fit_);
}

}  // namespace vidconv
