// Checks that everything that was read went somewhere.
#pragma once

#include <atomic>
#include <cstdint>

#include "pipeline/sink/sink.h"
#include "pipeline/source/source.h"

namespace vidconv {

// Counts frames that have passed each stage. One stage writes each count, others read it.
struct FrameCounts {
  std::atomic<std::int64_t> decoded = 0, filtered = 0;
  std::atomic<std::int64_t> skipped = 0;  // since they were encoded before
  std::atomic<std::int64_t> dropped = 0;  // before the filter, because they would have been late
  std::atomic<std::int64_t> encoded = 0;  // given to the sink
};

// Checks after the last frame, before the sink is finished. Throws Error(unaccounted) where frames
// or packets were lost or made up, Error(no_frame) where there was none: an empty output must not
// replace an older one.
void check_before_finish(const FrameCounts& frames, const Source& source, const Sink& sink);

// Checks after the sink was finished. Throws Error(unaccounted) where it withheld frames.
void check_finished(const FrameCounts& frames, const Sink& sink);

}  // namespace vidconv
