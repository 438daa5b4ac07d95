// The command lines of plan, shard and join, and what of a command line a plan keeps.
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
// Throw Error(usage).
PlanWords parse_plan_words(const std::vector<std::string>& words);

struct WorkerWords {
  std::string folder;
  std::string output;  // of join; empty with --dry-run
  int number = 0;      // of the part, from 0; of shard only
  bool dry_run = false, help = false;
  std::vector<std::string> machine;  // "--device=cuda", as KeptWords::machine
};
// `numbered`: shard's, whose number may come from the environment of a scheduler. join's output is
// named here, not by the plan.
WorkerWords parse_worker_words(const std::vector<std::string>& words, bool numbered);

// Options in the form "--name=value", in the order of --help, without the input, the output and
// --shards.
struct KeptWords {
  std::vector<std::string> job;      // bear on the bytes of the output: a plan carries them
  std::vector<std::string> machine;  // are told each worker on its own command line
};
// Of a command line that parse_options() takes. Throws Error(usage) for what makes no sense beside
// a plan, and for what no plan may carry.
KeptWords kept_words(const std::vector<std::string>& words);

// Throws Error(plan) for an option or a source that a plan of somebody else's may not bring: `name`
// is the plan's.
void check_planned(const std::string& name, const std::string& source,
                   const std::vector<std::string>& job);

// All of it as one command line.
Options options_of(const std::string& input, const std::string& output,
                   const std::vector<std::string>& job, const std::vector<std::string>& machine);

}  // namespace vidconv
