// What plan, shard and join have in common. Inside the command only.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/io/run_files.h"
#include "src/cluster/cluster_plan.h"
#include "src/cluster/cluster_words.h"
#include "src/run/messages.h"
#include "src/run/sandbox.h"

namespace vidconv {

// One of them at work: who hears what it says, and what it opens.
struct ClusterRun {
  explicit ClusterRun(bool quiet);

  Messages messages;
  const Notify notify;
  const std::atomic<bool>& interrupted;
  RunFiles files;
};

// To be thrown where a signal has come.
Error interrupted_error(const std::string& what);
// Of all of what the plan is for: its video stream, and what is known of it by its first frame.
InputVideo describe_video(const std::string& input, SourceOptions options);

// The absolute name of a file that join is to make. Throws Error(command_line) for what is none.
std::string file_output(const std::string& output);

// The exit codes.
int run_plan(const PlanWords& words);
int run_shard(const WorkerWords& words);
int run_join(const WorkerWords& words);

}  // namespace vidconv
