// The report of a run as metrics: Prometheus' text form, as node_exporter's textfile collector
// reads it.
#pragma once

#include <string>

namespace vidconv {

// The file of --metrics begins with this.
inline constexpr const char* metrics_beginning = "# HELP vidconv_run_info ";

// `stats`: a report of stats_json(), ended at `now`, in seconds since 1970.
std::string metrics_text(const std::string& stats, double now);

}  // namespace vidconv
