// Reports the outcome of a run: a line for people, JSON for programs.
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

// Returns one line: frames, seconds, frames per second, the limiting stage, the output and, if it
// was encoded, `how`.
std::string summary(const RunResult& result, const std::string& output, const std::string& how);

// Returns one line that says what is wrong with the input; empty if nothing is.
std::string describe(const Damage& damage, const std::string& input);

// A message that was printed or suppressed by --quiet.
struct Said {
  MessageKind kind;
  std::string line;
};

// Returns the first line of this kind; empty if there is none.
std::string first_of(MessageKind kind, const std::vector<Said>& messages);

// The parts of a run; null if the run failed before it made them.
struct Parts {
  const Source* source = nullptr;
  const TimedWork* work = nullptr;  // the first video's
  const Processor* processor = nullptr;
  const Sink* sink = nullptr;
  const Sandbox* sandbox = nullptr;
};

struct Ending {
  int exit_code = 0;
  bool interrupted = false;
  const Error* error = nullptr;         // null if the run finished
  bool skipped = false;                 // the output was done before (several inputs)
  const FoundQuality* found = nullptr;  // the result of --target
};

// Returns the report of --stats, schema 1; docs/stats.md describes its fields.
std::string stats_json(const RunResult& result, const Options& options, const Parts& parts,
                       const std::vector<Said>& messages, const Ending& ending);

// Returns the report of a run of several outputs, of each of which there is such a report.
std::string stats_of_outputs(const std::vector<std::string>& reports, const Options& options,
                             const std::vector<Said>& messages, int exit_code);

// Returns the member "devices" of a report. `processor` is null if the run failed before it had
// one.
nlohmann::ordered_json devices_json(const Processor* processor);

// Returns the member "sandbox" of a report. `sandbox` is null if the run failed before it had one.
nlohmann::ordered_json sandbox_json(const Sandbox* sandbox);

// Returns how a report's file is written: an empty file or an older report is replaced without -y.
// Throws Error if the file is another file of the run.
PartialFile::Options report_options(const std::string& what, const std::string& path,
                                    const Options& options, RunFiles& files);

}  // namespace vidconv
