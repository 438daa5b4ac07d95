// --report: one page of HTML with all that there is to see of a run, and no network.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "src/run/run_watch.h"

namespace vidconv {

// What every such page begins with.
inline constexpr std::string_view html_report_beginning = "<!DOCTYPE html>\n<!-- vidconv report";

// `stats`: as stats_json() has it.
std::string html_report(const std::string& stats, const RunWatch& watch);

// JSON that may stand in an element <script>: no "<" is left in it.
std::string for_script(const nlohmann::ordered_json& json);

}  // namespace vidconv
