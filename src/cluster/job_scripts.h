// Jobs for schedulers, which run `vidconv shard` for each part and `vidconv join` after them.
#pragma once

#include <string>

#include "src/cluster/cluster_plan.h"

namespace vidconv {

// `folder`: of the plan, absolute.
std::string job_script(JobScript kind, const ClusterPlan& plan, const std::string& folder);

}  // namespace vidconv
