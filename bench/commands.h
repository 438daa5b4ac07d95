// The commands of vidconv-bench. Each declares its options on its own CLI11 subcommand and returns
// a function that runs it. To add one: a file, its declaration here, a row in main.cpp, a line in
// CMakeLists.txt.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace vidconv::bench {

// Runs the command and returns its exit code; throws std::exception with a message for people.
using Run = std::function<int()>;

Run accuracy_command(CLI::App& app);
Run bus_command(CLI::App& app);
Run compare_command(CLI::App& app);
Run kernels_command(CLI::App& app);
Run openmp_command(CLI::App& app);
Run packed_command(CLI::App& app);
Run study_command(CLI::App& app);
Run threads_command(CLI::App& app);
Run time_command(CLI::App& app);

}  // namespace vidconv::bench
