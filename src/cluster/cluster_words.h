// Parses the command lines of plan, shard and join, and selects the options that a plan keeps.
#pragma once

#include <string>
#include <vector>

#include "src/options/options.h"

namespace vidconv {

enum class JobScript { none, slurm, kubernetes, parallel };

struct PlanWords {
  std::string folder;  // --dir
  JobScript script = JobScript::none;
  bool exact = false, dry_run = false, help = false;
  std::vector<std::string> rest;  // words for parse_options()
};
// Throws Error(usage).
PlanWords parse_plan_words(const std::vector<std::string>& words);

struct WorkerWords {
  std::string folder;
  std::string output;  // for join; empty with --dry-run
  std::string audit;   // for join: its file; empty: none
  int number = 0;      // for shard: the shard's, from 0
  bool dry_run = false, help = false;
  std::vector<std::string> machine;  // as KeptWords::machine: "--device=cuda"
};
// `numbered` is for shard, whose number may come from the scheduler's environment. join's output is
// named here, not in the plan. Throws Error(usage).
WorkerWords parse_worker_words(const std::vector<std::string>& words, bool numbered);

// Options in the form "--name=value", in the order of --help, without the input, the output and
// --shards.
struct KeptWords {
  std::vector<std::string> job;      // these bear on the output's bytes: a plan carries them
  std::vector<std::string> machine;  // these go on each worker's own command line
};
// Sorts the words of a command line that parse_options() takes. Throws Error(usage) for options
// that make no sense with a plan or that no plan may carry.
KeptWords kept_words(const std::vector<std::string>& words);

// Throws Error(plan) for an option or a source that somebody else's plan may not bring. `name` is
// the plan's.
void check_planned(const std::string& name, const std::string& source,
                   const std::vector<std::string>& job);

// Parses everything as one command line.
Options options_of(const std::string& input, const std::string& output,
                   const std::vector<std::string>& job, const std::vector<std::string>& machine);

}  // namespace vidconv
