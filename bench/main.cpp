// vidconv-bench: measurements that can be repeated, one subcommand for each question.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <string>
#include <vector>

#include "bench/commands.h"

namespace vidconv::bench {
namespace {

struct Command {
  const char* name;
  const char* description;
  Run (*declare)(CLI::App&);
};

constexpr Command commands[] = {
    {"accuracy", "compare results with double arithmetic, rounded once", accuracy_command},
    {"bus", "what the buses carry: copies on each CUDA device alone, and on all at once",
     bus_command},
    {"compare", "two files of kernels --json: ratios, and exit code 1 where a row became slower",
     compare_command},
    {"kernels", "time the variants that serve users, beside OpenCV, FFmpeg and NPP",
     kernels_command},
    {"openmp", "the same bands of a plane by vidconv's threads and by OpenMP's", openmp_command},
    {"packed", "pictures whose components lie side by side, beside the same in planes",
     packed_command},
    {"study", "the published systems, correct and timed, beside their published figures",
     study_command},
    {"threads", "what more threads bring, beside the memory's bandwidth", threads_command},
    {"time", "filters over time on a CUDA device, beside a plain kernel that reads as many frames",
     time_command},
};

int run(int argc, char** argv) {
  CLI::App app("Measurements of vidconv's kernels.", "vidconv-bench");
  app.require_subcommand(1);
  std::vector<std::pair<CLI::App*, Run>> declared;
  for (const Command& command : commands) {
    CLI::App* subcommand = app.add_subcommand(command.name, command.description);
    declared.emplace_back(subcommand, command.declare(*subcommand));
  }
  CLI11_PARSE(app, argc, argv);
  for (const auto& [subcommand, command] : declared)
    if (subcommand->parsed()) return command();
  return 2;
}

}  // namespace
}  // namespace vidconv::bench

int main(int argc, char** argv) {
  try {
    return vidconv::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "vidconv-bench: {}\n", error.what());
    return 1;
  }
}
