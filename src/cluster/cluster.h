// vidconv plan, shard and join: a video in parts that many hosts encode. What a scheduler is for, a
// scheduler does (docs/cluster.md).
#pragma once

namespace vidconv {

// Whether the first word of a command line is one of the three.
bool is_cluster_command(int argc, const char* const* argv);
// The exit code. Throws Error(usage).
int cluster_command(int argc, const char* const* argv);

}  // namespace vidconv
