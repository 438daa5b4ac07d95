#include "bench/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace vidconv::bench {
namespace {

Targets targets_of(const nlohmann::json& json) {
  Targets targets{json.at("what"), json.at("device"), json.at("frame"), {}};
  for (const auto& line : json.at("targets")) {
    TargetLine& to = targets.lines.emplace_back();
    to.filter = line.at("filter"), to.bits = line.at("bits");
    for (const auto& [size, us] : line.at("us").items()) {
      to.sizes.push_back({std::stoi(size), us});
      if (!(to.sizes.back().us > 0))
        throw std::runtime_error(fmt::format("{} {}: a target of {} microseconds is none",
                                             to.filter, size, to.sizes.back().us));
    }
    std::ranges::sort(to.sizes, {}, &TargetLine::Size::size);
  }
  if (targets.lines.empty()) throw std::runtime_error("it has no targets");
  return targets;
}

std::string bits_in_words(int bits) { return bits == 32 ? "float" : fmt::format("{} bits", bits); }

}  // namespace

Targets read_targets(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("cannot read '{}'", path));
  try {
    return targets_of(nlohmann::json::parse(file));
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format(
        "'{}' is no file of targets such as bench/targets/h200.json: {}", path, error.what()));
  }
}

void measure_targets(const Targets& targets, const TimeKernel& time, Report& report) {
  std::set<int> sizes;
  for (const TargetLine& line : targets.lines)
    for (const auto& target : line.sizes) sizes.insert(target.size);
  Table grid{
      "targets", "a kernel's microseconds / its target", {"filter", "samples"}, {}, {targets.what}};
  for (const int size : sizes) grid.columns.push_back(std::to_string(size));
  Table rows{"kernels-targets",
             "the same, target by target",
             {"filter", "bits", "frame", "variant", "vidconv us", "target us", "vidconv / target"},
             {},
             {}};
  int count = 0, missed = 0;
  double most = 0;
  for (const TargetLine& line : targets.lines) {
    std::map<int, std::string> cells;
    for (const auto& [size, us] : line.sizes) {
      const Timing timing = time(line.filter, size, line.bits);
      const double ratio = timing.us / us;
      ++count, missed += ratio > 1, most = std::max(most, ratio);
      cells[size] = fmt::format("{}{:.1f}{} / {:g}", ratio > 1 ? "**" : "", timing.us,
                                ratio > 1 ? "**" : "", us);
      rows.add({fmt::format("{} {}", line.filter, size), std::to_string(line.bits), targets.frame,
                timing.variant, timing.us, us, ratio});
    }
    std::vector<Cell> row = {line.filter, bits_in_words(line.bits)};
    for (const int size : sizes)
      row.push_back(cells.contains(size) ? Cell(cells[size]) : Cell(std::string()));
    grid.add(std::move(row));
  }
  grid.notes.push_back(fmt::format(
      "{} of {} targets are met; the worst is missed by {:.0f}%. What is missed is in bold.",
      count - missed, count, 100 * std::max(0.0, most - 1)));
  report.tables.push_back(std::move(grid));
  report.tables.push_back(std::move(rows));
}

}  // namespace vidconv::bench
