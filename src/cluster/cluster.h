// vidconv plan, shard and join encode a video in shards on many hosts. Scheduling is left to a
// scheduler (docs/cluster.md).
#pragma once

namespace vidconv {

// Returns whether the first word of a command line is one of the three.
bool is_cluster_command(int argc, const char* const* argv);
// Runs the command and returns its exit code. Throws Error(usage).
int cluster_command(int argc, const char* const* argv);

}  // namespace vidconv
