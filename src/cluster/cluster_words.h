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
  int number = 0;  // of the part, from 0; of shard only
  bool dry_run = false, help = false;
  std::vector<std::string> machine;  // "--device=cuda", as KeptWords::machine
};
// `numbered`: shard's, whose number may come from the environment of a scheduler.
WorkerWords parse_worker_words(const std::vector<std::string>& words, bool numbered);

// Options in the form "--name=value", in the order of --help, without the input, the output and
// --shards.
struct KeptWords {
  std::vector<std::string> job;      // that bear on the bytes of the output
  std::vector<std::string> machine;  // that do not
};
// Of a command line that parse_options() takes. Throws Error(usage) for what makes no sense beside
// a plan.
KeptWords kept_words(const std::vector<std::string>& words);

// All of it as one command line. Of `more`, what is there too takes the place of `kept.machine`.
Options options_of(const std::string& input, const std::string& output, const KeptWords& kept,
                   const std::vector<std::string>& more);

}  // namespace vidconv
