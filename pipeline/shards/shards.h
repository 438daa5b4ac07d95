// Shards: a video is cut into parts at times that follow from the video and the options alone. Each
// part is encoded on its own, wherever and whenever that is, and the bytes are the same.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/av/video.h"
#include "pipeline/base/notice.h"

namespace vidconv {

class ShardOrder;
class ShardStore;

struct ShardOptions {
  bool automatic = false;  // the next two are chosen, by the length of the video
  int count = 0;           // into so many parts of equal length; 0: into parts of `length`
  double length = 0;       // seconds
  // How many are encoded at once, and how many frames may wait for each of these encoders; 0: as
  // many as the CPUs carry, and all of a part where there is memory for that. The bytes do not
  // depend on them.
  int jobs = 0, slots = 0;
  // How many bytes of packets may wait for each encoder but the oldest part's, of all parts that
  // come after; encoders wait then. 0: as many as there is memory for.
  std::int64_t packet_bytes = 0;
  // Frames of all parts that are encoded at once are read in turns; else all of one part before the
  // next. Chosen, where VideoInfo::any_order says that it can be done.
  bool in_turns = false;
  // The order in which they come then; may be null, when all of one part come first. Outlives
  // nobody: whoever uses it has a share.
  std::shared_ptr<ShardOrder> order = nullptr;
  // Keeps shards for a later run, and has those of an earlier one; may be null.
  std::shared_ptr<ShardStore> store = nullptr;
  // Becomes true when a person wants to stop: later parts are not waited for then. May be null;
  // outlives the encoder.
  const std::atomic<bool>* interrupted = nullptr;
};

// "auto", N or "10s". Throws Error(usage).
ShardOptions parse_shards(const std::string& text);

// Whether several parts may be encoded at once, each of which wants frames then.
bool may_be_in_turns(const ShardOptions& options);

// With all that is chosen or left out decided; `notify` hears what was chosen. Throws Error(usage)
// for a number of parts of a video whose length is not known.
ShardOptions settled(ShardOptions options, const VideoInfo& video, const Notify& notify);

// For people: "5 parts, 2 at once, read in turns, 4 frames wait for each: at most 12.4 MiB, and 512
// MiB of packets".
std::string describe(const ShardOptions& options, const VideoInfo& video);

// Of each encoder of a part, where EncoderOptions::threads does not say: the bytes of some depend
// on it, so it is no affair of the machine.
inline constexpr int shard_threads = 4;

class ShardCuts {
 public:
  // Throws Error(usage) for a number of parts of a video whose length is not known.
  ShardCuts(const ShardOptions& options, const VideoInfo& video);

  // The part of a frame, from 0: pts are in the video's time base. The first part begins with the
  // first frame that is asked for; a part in which no frame begins is empty.
  std::int64_t part_of(std::int64_t pts);

 private:
  const std::int64_t parts_, ticks_;  // so many parts in so many ticks
  const bool counted_;                // the last part takes what is beyond the announced end
  std::optional<std::int64_t> first_;
};

// Seconds; none where nothing is known of it.
std::optional<double> length_of(const VideoInfo& video);

}  // namespace vidconv
