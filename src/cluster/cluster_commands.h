// Declarations shared by plan, shard and join; for src/cluster only.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/io/run_files.h"
#include "pipeline/unchanged/keep_unchanged.h"
#include "src/cluster/cluster_plan.h"
#include "src/cluster/cluster_words.h"
#include "src/run/messages.h"
#include "src/run/sandbox.h"

namespace vidconv {

// The state of one command that runs: its messages, and the files that it opens.
struct ClusterRun {
  explicit ClusterRun(bool quiet);

  Messages messages;
  const Notify notify;
  const std::atomic<bool>& interrupted;
  RunFiles files;
};

// Returns the error to throw after a signal has arrived.
Error interrupted_error(const std::string& what);
// Returns the video stream of the whole input, with what its first frame tells about it.
InputVideo describe_video(const std::string& input, SourceOptions options);

// Returns the absolute path of the file that join is to write. Throws Error(command_line) if
// `output` is not a file.
std::string file_output(const std::string& output);

// Returns the shards that are encoded between those that are copied, and the options of the encoder
// that makes them (ClusterPlan::fitting).
std::vector<ClusterPlan::Part> parts_of(const Keeping& keeping);
std::vector<std::string> fitting_of(const Keeping& keeping);

// Each runs one command and returns its exit code.
int run_plan(const PlanWords& words);
int run_shard(const WorkerWords& words);
int run_join(const WorkerWords& words);

}  // namespace vidconv
