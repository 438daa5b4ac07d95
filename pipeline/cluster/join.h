// Joins the parts of a video, and copies all that is not of the video from the source.
#pragma once

#include <string>
#include <vector>

#include "pipeline/cluster/shard_file.h"
#include "pipeline/sink/sink.h"
#include "pipeline/source/source.h"

namespace vidconv {

struct FinishedShard {
  std::string path;
  ShardLedger ledger;
};

struct Joined {
  std::int64_t frames = 0, parts = 0, bytes = 0;
  std::string description;  // Sink::description()
  Damage damage;            // of what was copied
};

// `source` was opened with SourceOptions::copies_only. `video`: its video as it is when filtered,
// `output` the whole plan of it. Throws Error(part) for a part that is not what its ledger says,
// and what sinks throw.
Joined join_parts(Source& source, const OutputPlan& output, const InputVideo& video,
                  const std::vector<FinishedShard>& parts);

}  // namespace vidconv
