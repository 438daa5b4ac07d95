// vidconv-bench compare: two data files of `kernels`, row by row.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/commands.h"
#include "bench/report.h"

namespace vidconv::bench {
namespace {

struct CompareSettings {
  std::string before, after, json;
  double tolerance = 1.1;
};

// A measured row: what was done, by which variant, in how many microseconds.
struct Timed {
  std::string name, variant;
  double time;
};

std::string words_of(const nlohmann::json& cell) {
  return cell.is_string() ? cell.get<std::string>() : cell.dump();
}

// Returns the rows of the tables of `kernels`, in order; a row for each peer counts once.
std::vector<Timed> read_rows(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("cannot read '{}'", path));
  std::vector<Timed> rows;
  const auto json = nlohmann::json::parse(file);
  for (const auto& table : json.at("tables")) {
    const std::vector<std::string> columns = table.at("columns");
    const auto column = [&](const char* name) { return std::ranges::find(columns, name); };
    const auto time = column("vidconv us"), variant = column("variant");
    if (time == columns.end() || variant == columns.end()) continue;
    for (const auto& row : table.at("rows")) {
      std::string name = table.at("id");
      for (auto it = columns.begin(); it < variant; ++it)
        name += ", " + words_of(row.at(static_cast<std::size_t>(it - columns.begin())));
      const auto at = [&](auto it) {
        return row.at(static_cast<std::size_t>(it - columns.begin()));
      };
      if (std::ranges::find(rows, name, &Timed::name) == rows.end())
        rows.push_back({name, words_of(at(variant)), at(time).template get<double>()});
    }
  }
  if (rows.empty())
    throw std::runtime_error(
        fmt::format("'{}' has no table of vidconv-bench kernels (--json FILE)", path));
  return rows;
}

int run(const CompareSettings& settings) {
  const std::vector<Timed> before = read_rows(settings.before), after = read_rows(settings.after);
  Table table{.id = "compare",
              .title = fmt::format("{} (before) and {} (after)", settings.before, settings.after),
              .columns = {"row", "variant", "before us", "after us", "after / before"},
              .rows = {},
              .notes = {}};
  double logarithms = 0;
  int both = 0, slower = 0, missing = 0;
  for (const Timed& old : before) {
    const auto now = std::ranges::find(after, old.name, &Timed::name);
    if (now == after.end()) {
      ++missing;
      table.add({old.name, old.variant, old.time, {}, "not measured any more"});
      continue;
    }
    const double ratio = now->time / old.time;
    ++both;
    logarithms += std::log(ratio);
    slower += ratio > settings.tolerance;
    table.add({old.name,
               old.variant == now->variant ? old.variant : old.variant + " -> " + now->variant,
               old.time, now->time, ratio});
  }
  if (both > 0)
    table.notes.push_back(fmt::format("Geometric mean of after / before: {:.3f} ({} rows).",
                                      std::exp(logarithms / both), both));
  table.notes.push_back(fmt::format("Slower than {} times before: {}; not measured any more: {}.",
                                    settings.tolerance, slower, missing));
  publish({typed_command(), {}, {table}}, settings.json);
  return slower > 0 || missing > 0 ? 1 : 0;
}

}  // namespace

Run compare_command(CLI::App& app) {
  const auto s = std::make_shared<CompareSettings>();
  app.add_option("before", s->before, "what `kernels --json` wrote")->required();
  app.add_option("after", s->after, "the same of another build or day")->required();
  app.add_option("--tolerance", s->tolerance, "a row that takes more times as long is a failure")
      ->check(CLI::Range(1.0, 100.0))
      ->capture_default_str();
  app.add_option("--json", s->json, "write JSON to this file; - for stdout");
  return [s] { return run(*s); };
}

}  // namespace vidconv::bench
