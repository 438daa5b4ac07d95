// Joins the shards of a video, and copies everything but the video from the source.
#pragma once

#include <string>
#include <vector>

#include "pipeline/cluster/shard_file.h"
#include "pipeline/sink/sink.h"
#include "pipeline/source/source.h"
#include "pipeline/unchanged/kept_packets.h"

namespace vidconv {

struct FinishedShard {
  std::string path;
  ShardLedger ledger;
};

struct Joined {
  std::int64_t frames = 0, parts = 0, bytes = 0;
  std::string description;  // Sink::description()
  Damage damage;            // found in the copied streams
};

// `source` was opened with SourceOptions::copies_only. `video` is its video as filtered, `output`
// the plan of the whole output. `kept` has the shards between `parts` that are copied from the
// input; null where there are none. Throws Error(part) for a shard that does not match its ledger,
// and whatever sinks throw.
Joined join_parts(Source& source, const OutputPlan& output, const InputVideo& video,
                  const std::vector<FinishedShard>& parts, const KeptPackets* kept);

}  // namespace vidconv
