#include "src/cluster/cluster.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/url.h"
#include "pipeline/source/source.h"
#include "pipeline/unchanged/kept_packets.h"
#include "src/cluster/cluster_commands.h"
#include "src/process/interrupt.h"
#include "src/process/standard_streams.h"

namespace vidconv {
namespace {

constexpr std::string_view command_names[] = {"plan", "shard", "join"};

constexpr const char* cluster_help =
    R"(Encode a video in parts on many hosts, under a scheduler that is there already.

Usage: vidconv plan INPUT -o OUTPUT --kernel SPEC --shards N --dir DIR [options]
       vidconv shard I DIR [options]
       vidconv join DIR -o OUTPUT [options]

plan writes DIR/plan.json: which frames each part has. It takes all options that
bear on the output, but none that may name a file of an encoder's, and
  --dir DIR               the folder of the plan and its parts, on a file system
                          that all hosts share
  --script slurm|kubernetes|parallel
                          print a job for that scheduler, which gives the options
                          of workers below and OUTPUT to them
  --exact                 count frames by decoding all, not by their packets
  --dry-run               print the plan and write nothing
  --audit FILE            each part has an audit of its frames; join writes FILE
shard encodes part I, counted from 0, which may come from SLURM_ARRAY_TASK_ID or
JOB_COMPLETION_INDEX. A part that is there and whole is left alone.
join makes the output of all parts: the bytes of vidconv --shards N. A plan does
not say where it is written: OUTPUT has the ending of the plan's.
  --audit FILE            join the audits of all parts too, if the plan has them
  --dry-run               say what there is to do, and do nothing
Both take --device, --variant, --slots, --timeout, --verify, --progress, --quiet,
--stats, --strict, --max-pixels, --insecure, --no-sandbox and -y, which no plan
holds. Exit code 75 says: try again.
)";

// Returns whether the error may be gone later or on another host: the input could be read when the
// plan was made.
bool may_pass(const Error& error) {
  switch (error.kind()) {
    case MessageKind::plan:
    case MessageKind::part:
    case MessageKind::output_exists:
    case MessageKind::output_is_input:
    case MessageKind::output_unsuited:
    case MessageKind::strict:
    case MessageKind::too_large:
    case MessageKind::no_video:
    case MessageKind::no_frame:
    case MessageKind::input_reference:
      return false;
    default:
      return error.fault() == Fault::input || error.fault() == Fault::output ||
             error.fault() == Fault::device;
  }
}

template <class Run>
int run_worker(const Run& run) {
  try {
    return run();
  } catch (...) {
    const Error error = current_error();
    if (interrupting_signal() != 0) {
      say(MessageKind::interrupted, error.message());
      return 128 + interrupting_signal();
    }
    if (!may_pass(error)) throw;
    throw Error(MessageKind::try_again, error.act(), Error::Value::naming(error.value().text()),
                error.why(), error.remedy().empty() ? "try again" : error.remedy());
  }
}

}  // namespace

ClusterRun::ClusterRun(bool quiet)
    : messages(quiet),
      notify([this](MessageKind kind, const std::string& line) { messages.notify(kind, line); }),
      interrupted(install_interrupt_handlers()) {}

Error interrupted_error(const std::string& what) {
  return {MessageKind::interrupted, what, "", "it was interrupted"};
}

InputVideo describe_video(const std::string& input, SourceOptions options) {
  options.notify = nullptr;  // notices come when the whole input is read
  options.video_only = true;
  const auto source = open_source(input, options);
  return source->videos().at(0);
}

std::vector<ClusterPlan::Part> parts_of(const Keeping& keeping) {
  const std::vector<PacketStretch>& stretches = keeping.kept->stretches();
  const std::vector<std::int64_t>& begins = *keeping.encoder.shards->begins;
  std::vector<ClusterPlan::Part> parts;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (stretches[i].kept) continue;
    parts.push_back({.begin = begins[i],
                     .frames = static_cast<std::int64_t>(stretches[i].end - stretches[i].begin),
                     .before = static_cast<std::int64_t>(stretches[i].begin)});
    if (i + 1 < stretches.size() && stretches[i + 1].kept) parts.back().end = begins[i + 1];
  }
  return parts;
}

std::vector<std::string> fitting_of(const Keeping& keeping) {
  std::vector<std::string> words;
  if (!keeping.encoder.crf.empty()) words.push_back("--crf=" + keeping.encoder.crf);
  for (const auto& [key, value] : keeping.encoder.own)
    words.push_back("--encoder-opt=" + key + "=" + value);
  return words;
}

std::string file_output(const std::string& output) {
  if (output == "-" || is_url(output))
    throw Error(MessageKind::command_line, "cannot join parts into", redacted(output),
                "they are joined into a file", "name one, or use --shards on one host");
  return std::filesystem::absolute(local_path(output)).string();
}

bool is_cluster_command(int argc, const char* const* argv) {
  return argc > 1 &&
         std::ranges::find(command_names, std::string_view(argv[1])) != std::end(command_names);
}

int cluster_command(int argc, const char* const* argv) {
  const std::string_view name = argv[1];
  const std::vector<std::string> words(argv + 2, argv + argc);
  if (name == "plan") {
    const PlanWords plan = parse_plan_words(words);
    if (!plan.help) return run_plan(plan);
  } else {
    const WorkerWords worker = parse_worker_words(words, name == "shard");
    if (!worker.help)
      return run_worker([&] { return name == "shard" ? run_shard(worker) : run_join(worker); });
  }
  print(cluster_help);
  return 0;
}

}  // namespace vidconv
