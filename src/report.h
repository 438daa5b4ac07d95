// What happened, at the end: a line for people, JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "pipeline/run.h"
#include "pipeline/work.h"
#include "src/options.h"

namespace vidconv {

// One line: frames, seconds, frames per second, the stage that limits, where it went.
std::string summary(const RunResult& result, const std::string& output);

// One line that says what is wrong with the input; empty where nothing is.
std::string describe(const Damage& damage, const std::string& input);

// A message that was printed, or kept back by --quiet.
struct Said {
  Message kind;
  std::string line;
};

// The report of --stats, schema 1; docs/stats.md describes its fields.
std::string stats_json(const RunResult& result, const Options& options, const VideoInfo& video,
                       const Work& work, const Processor& processor, const Sink& sink,
                       const std::vector<Said>& messages, bool interrupted);

// To the file, or to stdout for "-". Throws Error(output).
void write_stats(const std::string& path, const std::string& json);

}  // namespace vidconv
