// Stores a shard of a video as a file that another process joins: its packets in NUT, which players
// know, and beside them a ledger of what NUT does not keep.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/av/av.h"

namespace vidconv {

// Gives a packet's times as its encoder set them; ticks of the video's time base.
struct PacketTimes {
  std::int64_t pts = 0, dts = AV_NOPTS_VALUE, duration = 0;
  int flags = 0;  // AV_PKT_FLAG_...
};

// Describes a complete shard.
struct ShardLedger {
  std::string key;     // the ContentKey of its inputs
  std::string digest;  // SHA-256 of the file
  std::string header;  // the encoder's, as bytes
  std::string audit;   // SHA-256 of its audit; empty: there is none
  std::int64_t bytes = 0;
  std::vector<PacketTimes> packets;  // in order
};

// Returns when its frames are shown, in order.
std::vector<std::int64_t> times_of(const ShardLedger& ledger);

// Throws Error(part) where the file is missing or does not match the ledger: by its size, and with
// `all` by its digest.
void check_part(const std::string& path, const ShardLedger& ledger, bool all);

// Reads the packets of a shard.
class PartReader {
 public:
  // Throws Error(part). The ledger outlives it.
  PartReader(const std::string& path, const ShardLedger& ledger);
  // Throws Error(part) where there is none.
  PacketPtr read();

 private:
  const std::string path_;
  const ShardLedger& ledger_;
  InputPtr container_;
  std::size_t at_ = 0;
};

}  // namespace vidconv
