// --report writes a run as one page of HTML that loads nothing from the network.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "src/run/run_watch.h"

namespace vidconv {

// Every such page begins with this.
inline constexpr std::string_view html_report_beginning = "<!DOCTYPE html>\n<!-- vidconv report";

// `stats` comes from stats_json().
std::string html_report(const std::string& stats, const RunWatch& watch);

// Returns JSON that can stand in an element <script>: no "<" is left in it.
std::string for_script(const nlohmann::ordered_json& json);

}  // namespace vidconv
