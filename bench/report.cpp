#include "bench/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "bench/device.h"
#include "pipeline/platform/usable_threads.h"

namespace vidconv::bench {
namespace {

// Formats three or four significant digits, without an exponent where one can do without.
std::string number(double value) {
  const double size = value < 0 ? -value : value;
  if (value == std::floor(value) && size < 1e6) return fmt::format("{:.0f}", value);
  if (size != 0 && size < 0.001) return fmt::format("{:.2e}", value);
  return fmt::format("{:.{}f}", value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

std::string text(const Cell& cell) {
  if (const auto* word = std::get_if<std::string>(&cell)) return *word;
  if (const auto* value = std::get_if<double>(&cell)) return number(*value);
  return "–";
}

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown processor";
}

// Pads columns to equal width, so that the table can be read as it is printed.
std::string markdown(const Table& table) {
  std::vector<std::vector<std::string>> lines = {table.columns};
  for (const auto& row : table.rows) {
    lines.emplace_back();
    for (const Cell& c : row) lines.back().push_back(text(c));
    lines.back().resize(table.columns.size());
  }
  std::vector<std::size_t> widths(table.columns.size(), 3);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], line[i].size());

  std::string out = fmt::format("### {}: {}\n\n", table.id, table.title);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    for (std::size_t i = 0; i < widths.size(); ++i)
      out += fmt::format("| {:<{}} ", lines[l][i], widths[i]);
    out += "|\n";
    if (l > 0) continue;
    for (const std::size_t width : widths) out += fmt::format("| {:-<{}} ", "", width);
    out += "|\n";
  }
  for (const std::string& note : table.notes) out += fmt::format("\n{}\n", note);
  return out + '\n';
}

}  // namespace

std::vector<std::string> describe_machine() {
  std::vector<std::string> lines = {fmt::format("{}, {} threads", processor(), usable_threads())};
  lines.push_back(describe_gpu());
  lines.push_back(fmt::format("vidconv {}, {}", VIDCONV_VERSION, VIDCONV_COMPILER));
  return lines;
}

std::string typed_command() {
  std::ifstream file("/proc/self/cmdline");
  std::string command;
  for (std::string word; std::getline(file, word, '\0');) {
    if (command.empty())
      command = word.substr(word.rfind('/') + 1);
    else if (word == "--json" || word == "--plot")
      std::getline(file, word, '\0');
    else if (!word.starts_with("--json=") && !word.starts_with("--plot="))
      command += " " + word;
  }
  return command;
}

std::string to_markdown(const Report& report) {
  std::string out = fmt::format("`{}`, {}\n\n", report.command, today());
  for (const std::string& line : report.machine) out += fmt::format("- {}\n", line);
  out += '\n';
  for (const Table& table : report.tables) out += markdown(table);
  return out;
}

std::string to_json(const Report& report) {
  nlohmann::ordered_json json = {{"schema", 1},
                                 {"command", report.command},
                                 {"date", today()},
                                 {"machine", report.machine},
                                 {"tables", nlohmann::json::array()}};
  for (const Table& table : report.tables) {
    nlohmann::ordered_json rows = nlohmann::json::array();
    for (const auto& row : table.rows) {
      nlohmann::ordered_json cells = nlohmann::json::array();
      for (const Cell& c : row) {
        if (const auto* word = std::get_if<std::string>(&c))
          cells.push_back(*word);
        else if (const auto* value = std::get_if<double>(&c))
          cells.push_back(*value);
        else
          cells.push_back(nullptr);
      }
      rows.push_back(cells);
    }
    json["tables"].push_back({{"id", table.id},
                              {"title", table.title},
                              {"columns", table.columns},
                              {"rows", rows},
                              {"notes", table.notes}});
  }
  return json.dump(1) + "\n";
}

void publish(const Report& report, const std::string& json_path) {
  if (json_path == "-") {
    fmt::print("{}", to_json(report));
    return;
  }
  fmt::print("{}", to_markdown(report));
  if (!json_path.empty()) write_json(report, json_path);
}

void write_json(const Report& report, const std::string& path) {
  std::ofstream file(path);
  file << to_json(report);
  file.close();
  if (!file) throw std::runtime_error(fmt::format("cannot write '{}': is the folder there?", path));
}

}  // namespace vidconv::bench
