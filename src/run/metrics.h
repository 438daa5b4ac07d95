// Writes a run's report as metrics in Prometheus' text format, for node_exporter's textfile
// collector.
#pragma once

#include <string>

namespace vidconv {

// Every file of --metrics begins with this.
inline constexpr const char* metrics_beginning = "# HELP vidconv_run_info ";

// `stats` comes from stats_json(); `now` is the time of the run's end, in seconds since 1970.
std::string metrics_text(const std::string& stats, double now);

}  // namespace vidconv
