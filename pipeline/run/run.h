// run(): runs all stages concurrently, each on its own frames.
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

// Tells how far the work has come.
struct Progress {
  // Frames; encoded: given to the sink, or brought.
  std::int64_t decoded = 0, filtered = 0, encoded = 0;
  double seconds = 0;      // since the start
  double position = 0;     // how much of the video has been encoded, in seconds of its time
  std::int64_t bytes = 0;  // the output so far
  std::int64_t parts = 0;  // shards in the output; 0 where it is not encoded in shards
  // Frames and seconds of `encoded` and `position` that an earlier run has done.
  std::int64_t brought = 0;
  double brought_seconds = 0;
  // Each stage in order: decode, the processor's, encode.
  std::vector<StageTime> stages;
};

// Returns the stage that has worked longest; the others waited for it. Empty where none has worked.
std::string limiting_stage(const std::vector<StageTime>& stages);

// Tells what a run did. The counts of a run that has returned add up, or it would have thrown
// Error(unaccounted).
struct RunResult {
  // Frames. encoded: given to the sink; brought: encoded by an earlier run; written: in the output.
  std::int64_t decoded = 0, filtered = 0, encoded = 0, brought = 0, written = 0, verified = 0;
  std::optional<LatencyLog> latency;  // where RunOptions::latency asked for it; what was dropped
  std::int64_t copied = 0;  // brought frames that are packets of the input, not of an earlier run
  std::int64_t passed_on = 0;  // filtered frames on which no filter acts
  std::string verified_by;     // as of Verifier::other(); empty where nothing was to be verified
  Damage damage;
  std::vector<PacketStatistics> streams;  // the source's
  std::map<int, CopyStatistics> copies;   // packets, by the source's stream index
  std::int64_t bytes = 0;                 // the output's
  std::int64_t parts = 0;                 // as in Progress
  double seconds = 0;
  std::vector<StageTime> stages;  // as in Progress
  MemoryUse memory;
  std::optional<Measured> measured;  // with JobOptions::measure
};

// Holds a source's first next(), called before the run so that the source can start at once.
struct Begun {
  std::future<std::optional<Item>> item;
  Clock::time_point since = Clock::now();
};

// Sees pictures on their way through a run, in order: before() those that go into the processor,
// after() those that come out of it. The two may run on different threads.
class FrameWatcher {
 public:
  virtual ~FrameWatcher() = default;
  virtual void before(const Frame& frame) = 0;
  virtual void after(const Frame& frame) = 0;
};

struct RunOptions {
  // Is called by the sink's thread after the first frame, then at least `observer_interval` seconds
  // apart, and after the last frame. May be empty.
  std::function<void(const Progress&)> observer;
  double observer_interval = 0;
  RunResult* reached = nullptr;     // set by a run that throws; may be null
  Trace* trace = nullptr;           // records each stage; may be null; outlives the run
  Verifier* verifier = nullptr;     // may be null; outlives the run
  FrameWatcher* watcher = nullptr;  // may be null; outlives the run
  // Is called after the last frame, before the sink is finished, with the results so far; throws
  // where something is wrong. May be empty.
  std::function<void(const RunResult&)> check = {};
  // Called with each frame when it was decoded, by the source's thread: true where it was encoded
  // by an earlier run, so that nothing more is done with it. May be empty.
  std::function<bool(const Frame&)> skip = {};
  Begun* begun = nullptr;  // the source's order, if it has one; outlives the run
  // Frames come in their own time, and are worth something for so long: what would be late is
  // dropped before it is filtered, and counted. Not for run_serial().
  std::optional<LatencyLimits> latency = {};
  // Frames are handed on at their times, the first at once, so that the run takes at least as long
  // as the video. `interrupted` is SourceOptions::interrupted.
  bool realtime = false;
  const std::atomic<bool>* interrupted = nullptr;
  bool any_order = false;  // frames do not come in order of time (Source::set_order())
  // The number of frames that may wait between two stages.
  std::size_t channel_capacity = 2;
};

// Filters everything that comes out of `source` and finishes `sink`. The stages decode, submit,
// collect and encode have a thread each, joined by bounded channels. Blocks until all of them have
// ended. The first failure stops every stage and is thrown as an Error with the number of its
// frame; the sink is not finished then.
RunResult run(Source& source, Processor& processor, Sink& sink, const RunOptions& options = {});

// Does the same job with the same bytes, one frame after the other in one plain loop.
RunResult run_serial(Source& source, Processor& processor, Sink& sink,
                     const RunOptions& options = {});

}  // namespace vidconv
