// vidconv-bench study: the published systems (docs/study.md), each correct, timed, and beside the
// figures that were published for it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "bench/commands.h"
#include "bench/study/lab.h"
#include "pipeline/platform/usable_threads.h"

namespace vidconv::bench {
namespace {

struct System {
  const char* letter;
  void (*measure)(const Lab&, Report&);
};
constexpr System systems[] = {
    {"A", study_a}, {"B", study_b}, {"C", study_c}, {"D", study_d}, {"E", study_e}};

struct StudySettings {
  std::vector<std::string> only;
  Lab lab;
  std::string json, plot;
};

int run(const StudySettings& settings) {
  Report report{typed_command(), describe_machine(), {}};
  for (const System& system : systems)
    if (settings.only.empty() ||
        std::ranges::find(settings.only, system.letter) != settings.only.end())
      system.measure(settings.lab, report);
  // A table without rows has nothing to say: no device, or pictures that were left out.
  std::erase_if(report.tables, [](const Table& table) { return table.rows.empty(); });
  publish(report, settings.json);
  if (!settings.plot.empty()) {
    std::filesystem::create_directories(settings.plot);
    const std::string data = (std::filesystem::path(settings.plot) / "study.json").string();
    write_json(report, data);
    const std::string command =
        fmt::format("python3 '{}' '{}' '{}'", VIDCONV_BENCH_PLOT, data, settings.plot);
    if (std::system(command.c_str()) != 0)
      throw std::runtime_error(fmt::format(
          "cannot draw the charts: '{}' failed; install python3-matplotlib, or run it later on {}",
          command, data));
  }
  for (const std::string& line : settings.lab.wrong)
    fmt::print(stderr, "vidconv-bench: {}\n", line);
  return settings.lab.wrong.empty() ? 0 : 1;
}

}  // namespace

Run study_command(CLI::App& app) {
  const auto s = std::make_shared<StudySettings>();
  s->lab.threads = usable_threads();
  app.add_option("--only", s->only, "systems A to E (default: all)")
      ->check(CLI::IsMember({"A", "B", "C", "D", "E"}));
  app.add_option("--largest", s->lab.largest, "leave out pictures of more samples than this");
  app.add_option("--threads", s->lab.threads, "CPU threads")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--seconds", s->lab.effort.seconds, "about how long each measurement lasts")
      ->check(CLI::Range(0.001, 60.0))
      ->capture_default_str();
  app.add_option("--json", s->json, "write the tables to this file too (- is stdout)");
  app.add_option("--plot", s->plot, "draw charts into this folder (needs python3-matplotlib)");
  return [s] { return run(*s); };
}

}  // namespace vidconv::bench
