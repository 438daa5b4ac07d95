// KeptPackets: gives out stretches of the input's own packets as shards that were encoded before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/shards/shard_store.h"
#include "pipeline/unchanged/packet_reader.h"

namespace vidconv {

// A stretch of frames, each of which is a packet.
struct PacketStretch {
  std::size_t begin = 0, end = 0;  // places in the order of time
  bool kept = false;               // else its frames are encoded anew
  std::size_t first = 0;           // the place of its first packet, in order of decoding
};

// Reads the input once more, from beginning to end. Keeps nothing else.
class KeptPackets final : public ShardStore {
 public:
  // `stretches` are the shards of the video, all of its frames in order. `times`: when all frames
  // are shown, in order of time.
  KeptPackets(PacketsOfVideo video, std::shared_ptr<const std::vector<std::int64_t>> times,
              std::vector<PacketStretch> stretches);
  ~KeptPackets() override;

  void begin(const ShardOptions&, const AVCodecParameters&, AVRational,
             const std::string&) override {}
  const std::vector<std::int64_t>& shards() const override { return shards_; }
  bool has(std::int64_t shard) const override {
    return stretches_.at(static_cast<std::size_t>(shard)).kept;
  }
  std::int64_t frames() const override { return frames_; }
  double seconds() const override { return seconds_; }
  // Returns the shards of the whole video, those that are encoded among them.
  const std::vector<PacketStretch>& stretches() const { return stretches_; }
  // Shards are read in their order, one after the other.
  std::unique_ptr<KeptShard> read(std::int64_t shard) const override;
  std::unique_ptr<ShardWriter> write(std::int64_t) override { return nullptr; }
  void judge_later() override {}
  void judged(std::int64_t) override {}
  void refuse(std::int64_t) override {}

  // Returns a line of JSON for each stretch whose packets were all read (docs/places.md): how many
  // they are, and a digest of their bytes.
  const std::vector<std::string>& audit() const { return audit_; }

 private:
  class Shard;

  const PacketsOfVideo video_;
  const std::shared_ptr<const std::vector<std::int64_t>> times_;
  const std::vector<PacketStretch> stretches_;
  std::vector<std::int64_t> shards_;
  std::int64_t frames_ = 0;
  double seconds_ = 0;
  const std::unique_ptr<PacketReader> reader_;
  mutable std::vector<std::string> audit_;  // grows as shards are read, by one thread
};

}  // namespace vidconv
