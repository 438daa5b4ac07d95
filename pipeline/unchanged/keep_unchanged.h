// Decides which stretches of a video are copied as they are coded, and how the rest is encoded to
// fit (docs/unchanged.md).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pipeline/encode/encoder_choice.h"
#include "pipeline/sink/sink.h"
#include "pipeline/source/source.h"
#include "pipeline/work/timed_work.h"

namespace vidconv {

class KeptPackets;

struct KeepRequest {
  Source& source;  // has given no frame yet
  std::string input;
  const SourceOptions& from;  // as `source` was opened
  std::string output;
  const SinkOptions& sink;
  const TimedWork& work;   // done to its frames
  bool looked_at = false;  // somebody looks at each frame that is not copied
};

struct Keeping {
  EncoderOptions encoder;             // encodes in shards, between those that are copied
  std::shared_ptr<KeptPackets> kept;  // the packets that are copied
};

// Returns none where all has to be encoded: SinkOptions::loss() has heard why then, and may throw.
// Throws Error(command_line) and Error(encoder_option) for settings that cannot be beside.
std::optional<Keeping> keep_unchanged(const KeepRequest& request);

}  // namespace vidconv
