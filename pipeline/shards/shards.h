// Shards: cuts a video into shards at times that follow from the video and the options alone. Each
// shard is encoded on its own; its bytes do not depend on where and when.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/av/video.h"
#include "pipeline/base/notice.h"

namespace vidconv {

class ShardOrder;
class ShardStore;
class StreamFit;

struct ShardOptions {
  bool automatic = false;  // the next two are chosen by the length of the video
  int count = 0;           // number of shards of equal length; 0: use `length`
  double length = 0;       // seconds
  // When each shard begins, rising, instead of the three above: ticks of the video's time base.
  std::shared_ptr<const std::vector<std::int64_t>> begins = nullptr;
  // How many shards are encoded at once, and how many frames may wait for each encoder; 0: as many
  // as the CPUs carry, and all of a shard where there is memory for that. The bytes do not depend
  // on either.
  int jobs = 0, slots = 0;
  // How many bytes of packets may wait for each encoder but the oldest shard's, counted over all
  // later shards; encoders wait then. 0: as many as there is memory for.
  std::int64_t packet_bytes = 0;
  // Frames of all shards that are encoded at once are read in turns, rather than shard by shard.
  // Chosen where VideoInfo::any_order says that it is possible.
  bool in_turns = false;
  // Their order then; null where frames come shard by shard. Shared by its users.
  std::shared_ptr<ShardOrder> order = nullptr;
  // Keeps shards for a later run, and has those of an earlier one; may be null.
  std::shared_ptr<ShardStore> store = nullptr;
  // Makes shards that are encoded fit a stream of which the store has the others; may be null.
  std::shared_ptr<const StreamFit> fit = nullptr;
  // Becomes true when a person wants to stop: later parts are not waited for then. May be null;
  // outlives the encoder.
  const std::atomic<bool>* interrupted = nullptr;
};

// Parses "auto", N or "10s". Throws Error(usage).
ShardOptions parse_shards(const std::string& text);

// Returns whether several shards may be encoded at once, each of which wants frames then.
bool may_be_in_turns(const ShardOptions& options);

// Fills in all that is left to be chosen; `notify` hears what was chosen. Throws Error(usage) for a
// number of shards of a video whose length is unknown.
ShardOptions settled(ShardOptions options, const VideoInfo& video, const Notify& notify);

// Describes it for people: "5 parts, 2 at once, read in turns, 4 frames wait for each: at most 12.4
// MiB, and 512 MiB of packets".
std::string describe(const ShardOptions& options, const VideoInfo& video);

// Names the setting that has asked for shards: "`resume`".
std::string setting_of(const ShardOptions& options);

// Each shard's encoder has so many threads where EncoderOptions::threads does not say. Some
// encoders' bytes depend on it, so it must not follow the machine.
inline constexpr int shard_threads = 4;

class ShardCuts {
 public:
  // Throws Error(usage) for a number of shards of a video whose length is unknown.
  ShardCuts(const ShardOptions& options, const VideoInfo& video);

  // Returns the shard of a frame, from 0: pts are in the video's time base. The first shard begins
  // with the first frame that is asked for; a shard in which no frame begins is empty.
  std::int64_t part_of(std::int64_t pts);

 private:
  const std::shared_ptr<const std::vector<std::int64_t>> begins_;  // ShardOptions::begins
  const std::int64_t parts_, ticks_;  // so many shards in so many ticks
  const bool counted_;                // the last shard takes what is beyond the announced end
  std::optional<std::int64_t> first_;
};

// Returns the length in seconds; none where it is unknown.
std::optional<double> length_of(const VideoInfo& video);

}  // namespace vidconv
