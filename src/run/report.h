// What happened, at the end: a line for people, JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "pipeline/run/run.h"
#include "pipeline/work/timed_work.h"
#include "src/options/options.h"
#include "src/run/sandbox.h"

namespace vidconv {

struct FoundQuality;

// One line: frames, seconds, frames per second, the stage that limits, where it went
// and, where it was encoded, how.
std::string summary(const RunResult& result, const std::string& output, const std::string& how);

// One line that says what is wrong with the input; empty where nothing is.
std::string describe(const Damage& damage, const std::string& input);

// A message that was printed, or kept back by --quiet.
struct Said {
  MessageKind kind;
  std::string line;
};

// The first line of this kind; empty: there is none.
std::string first_of(MessageKind kind, const std::vector<Said>& messages);

// What a run is made of; null where it failed before it came to that.
struct Parts {
  const Source* source = nullptr;
  const TimedWork* work = nullptr;  // of the first video
  const Processor* processor = nullptr;
  const Sink* sink = nullptr;
  const Sandbox* sandbox = nullptr;
};

struct Ending {
  int exit_code = 0;
  bool interrupted = false;
  const Error* error = nullptr;         // that ended it; null where it came to its end
  bool skipped = false;                 // of several inputs: it had been done before
  const FoundQuality* found = nullptr;  // by --target
};

// The report of --stats, schema 1; docs/stats.md describes its fields.
std::string stats_json(const RunResult& result, const Options& options, const Parts& parts,
                       const std::vector<Said>& messages, const Ending& ending);

// "devices" of every report; nullptr: the run failed before it had a processor.
nlohmann::ordered_json devices_json(const Processor* processor);

// "sandbox" of every report; nullptr: the run failed before it had one.
nlohmann::ordered_json sandbox_json(const Sandbox* sandbox);

// How the file of --stats or --trace is written: an empty file, or one that is a report of ours, is
// replaced without leave. Throws Error where it is another file of the run.
PartialFile::Options report_options(const std::string& what, const std::string& path,
                                    const Options& options, RunFiles& files);

}  // namespace vidconv
