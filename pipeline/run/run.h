// run(): every stage at once, each on its own frames.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/stopwatch.h"
#include "pipeline/filter/processor.h"
#include "pipeline/measure/measure_log.h"
#include "pipeline/run/latency.h"
#include "pipeline/run/verify.h"
#include "pipeline/sink/sink.h"
#include "pipeline/source/source.h"

namespace vidconv {

// How far the work has come.
struct Progress {
  // Frames; encoded: given to the sink, or brought.
  std::int64_t decoded = 0, filtered = 0, encoded = 0;
  double seconds = 0;      // since the start
  double position = 0;     // how much of the video has been encoded, in seconds of its time
  std::int64_t bytes = 0;  // of the output so far
  std::int64_t parts = 0;  // of the video that are in it; 0 where it is not encoded in parts
  // Frames and seconds of `encoded` and `position` that an earlier run has done.
  std::int64_t brought = 0;
  double brought_seconds = 0;
  // Of each stage in order: decode, those of the processor, encode.
  std::vector<StageTime> stages;
};

// The stage that has worked longest; the others waited for it. Empty where no stage has worked.
std::string limiting_stage(const std::vector<StageTime>& stages);

// What happened. Of a run that has returned all of it adds up, or there would have been an
// Error(unaccounted).
struct RunResult {
  // Frames. encoded: given to the sink; brought: encoded by an earlier run; written: in the output.
  std::int64_t decoded = 0, filtered = 0, encoded = 0, brought = 0, written = 0, verified = 0;
  std::optional<LatencyLog> latency;  // where RunOptions::latency asked for it; what was dropped
  std::int64_t passed_on = 0;         // of those filtered: as they were, no filter acts on them
  std::string verified_by;  // as of Verifier::other(); empty where nothing was to be verified
  Damage damage;
  std::vector<PacketStatistics> streams;  // of the source
  std::map<int, CopyStatistics> copies;   // packets, by stream index of the source
  std::int64_t bytes = 0;                 // of the output
  std::int64_t parts = 0;                 // as in Progress
  double seconds = 0;
  std::vector<StageTime> stages;  // as in Progress
  MemoryUse memory;
  std::optional<Measured> measured;  // where JobOptions::measure asked for it
};

// A source's first next(), called before the run: what starts may start at once.
struct Begun {
  std::future<std::optional<Item>> item;
  Clock::time_point since = Clock::now();
};

// Sees pictures on their way through a run, each in the order of the frames: before() what goes
// into the processor, after() what comes out of it, which may be on different threads.
class FrameWatcher {
 public:
  virtual ~FrameWatcher() = default;
  virtual void before(const Frame& frame) = 0;
  virtual void after(const Frame& frame) = 0;
};

struct RunOptions {
  // Called by the sink's thread after the first frame, after others at least `observer_interval`
  // seconds apart, and after the last. May be empty.
  std::function<void(const Progress&)> observer;
  double observer_interval = 0;
  RunResult* reached = nullptr;     // what was done by a run that throws; may be null
  Trace* trace = nullptr;           // where each stage is noted; may be null; outlives the run
  Verifier* verifier = nullptr;     // may be null; outlives the run
  FrameWatcher* watcher = nullptr;  // may be null; outlives the run
  // Called after the last frame with what there is by then, before the sink is finished; throws
  // where something is wrong. May be empty.
  std::function<void(const RunResult&)> check = {};
  // Called with each frame when it was decoded, by the source's thread: true where it was encoded
  // by an earlier run, so that nothing more is done with it. May be empty.
  std::function<bool(const Frame&)> skip = {};
  Begun* begun = nullptr;  // of the source, if it has; outlives the run
  // Frames come in their own time, and are worth something for so long: what would be late is
  // dropped before it is filtered, and counted. Not for run_serial().
  std::optional<LatencyLimits> latency = {};
  // Frames are handed on as their times say, the first at once: as long as the video is, the run
  // takes at least. `interrupted` is as of SourceOptions.
  bool realtime = false;
  const std::atomic<bool>* interrupted = nullptr;
  bool any_order = false;  // frames do not come in the order of time (Source::set_order())
  // Frames that may wait between two stages.
  std::size_t channel_capacity = 2;
};

// Filters everything that comes out of `source` and finishes `sink`: decode, submit, collect and
// encode, a thread each, joined by bounded channels. Returns when all of them have ended. The first
// failure stops every stage and is thrown as Error, with the frame it happened on; the sink is not
// finished then.
RunResult run(Source& source, Processor& processor, Sink& sink, const RunOptions& options = {});

// The same job and the same bytes, one frame after the other in one plain loop.
RunResult run_serial(Source& source, Processor& processor, Sink& sink,
                     const RunOptions& options = {});

}  // namespace vidconv
