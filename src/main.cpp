// The command: which of its parts does the work.
#include <vector>

#include "pipeline/base/error.h"
#include "src/batch/batch.h"
#include "src/cluster/cluster.h"
#include "src/command/command.h"
#include "src/help/lists.h"
#include "src/options/options.h"
#include "src/options/output_words.h"
#include "src/outputs/outputs.h"
#include "src/process/stack.h"
#include "src/process/standard_streams.h"
#include "src/resume/list_resumable.h"
#include "src/run/messages.h"

namespace vidconv {
namespace {

int command(int argc, char** argv) {
  if (is_cluster_command(argc, argv)) return cluster_command(argc, argv);
  if (const std::vector<Options> outputs = parse_outputs(argc, argv); !outputs.empty())
    return run_outputs(outputs);
  const Options options = parse_options(argc, argv);
  if (options.list != List::none) {
    if (options.list == List::resumable)
      list_resumable(options.listed);
    else
      print_list(options.list, options.listed);
    return 0;
  }
  return is_batch(options) ? run_batch(options) : run_command(options);
}

int command_or_failure(int argc, char** argv) {
  try {
    return command(argc, argv);
  } catch (...) {
    const Error error = current_error();
    say(error.kind(), error.message());
    return exit_code(error, 0);
  }
}

}  // namespace
}  // namespace vidconv

int main(int argc, char** argv) {
  vidconv::prepare_standard_streams();
  return vidconv::with_usual_stack(vidconv::command_or_failure, argc, argv);
}
