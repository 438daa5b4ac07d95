// vidconv join
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "pipeline/base/url.h"
#include "pipeline/cluster/join.h"
#include "pipeline/io/byte_io.h"
#include "pipeline/io/digest.h"
#include "pipeline/io/partial_name.h"
#include "pipeline/platform/process.h"
#include "pipeline/run/job.h"
#include "pipeline/source/source_turned.h"
#include "pipeline/source/source_windowed.h"
#include "pipeline/unchanged/kept_packets.h"
#include "src/cluster/cluster_commands.h"
#include "src/options/job_settings.h"
#include "src/options/option_values.h"
#include "src/process/interrupt.h"
#include "src/process/standard_streams.h"
#include "src/run/report_files.h"

namespace vidconv {
namespace {

// Returns files of shards that the plan does not know, by shard number.
std::map<std::string, std::string> foreign_parts(const ClusterPlan& plan,
                                                 const std::string& folder) {
  std::map<std::string, std::string> foreign;
  std::set<std::string> known;
  for (std::size_t i = 0; i < plan.parts.size(); ++i)
    known.insert(part_path(folder, i, plan.key(i)) + ".nut");
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/parts", error)) {
    if (entry.path().extension() != ".nut") continue;
    const std::string path = entry.path().string(), name = entry.path().stem().string();
    if (!known.contains(path)) foreign[name.substr(0, name.find('-'))] = path;
  }
  return foreign;
}

struct PartState {
  std::optional<FinishedShard> part;
  std::string why_not;
};

PartState look_at(const ClusterPlan& plan, const std::string& folder, std::size_t number,
                  const std::map<std::string, std::string>& foreign, bool all) {
  const std::string key = plan.key(number), path = part_path(folder, number, key);
  const auto other = foreign.find(fmt::format("{}", number));
  try {
    if (!is_there(path + ".json"))
      return {.part = {},
              .why_not = other == foreign.end() ? "it is missing"
                                                : "it is missing: '" + verbatim(other->second) +
                                                      "' is of another plan"};
    FinishedShard part{.path = path + ".nut", .ledger = read_ledger(path + ".json", key)};
    check_part(part.path, part.ledger, all);
    if (plan.audit) check_audit(path + ".jsonl", part.ledger);
    if (std::ssize(part.ledger.packets) != plan.parts[number].frames)
      return {.part = {}, .why_not = "it has another number of frames than the plan"};
    return {.part = std::move(part), .why_not = {}};
  } catch (const Error& error) {
    return {.part = {}, .why_not = error.message()};
  }
}

std::vector<FinishedShard> find_parts(const ClusterPlan& plan, const WorkerWords& words) {
  const auto foreign = foreign_parts(plan, words.folder);
  std::vector<FinishedShard> parts;
  std::string missing, first;
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    PartState state = look_at(plan, words.folder, i, foreign, words.dry_run);
    if (words.dry_run)
      print(fmt::format("part {}: {} frames, {}\n", i, plan.parts[i].frames,
                        state.part ? "whole" : state.why_not));
    if (state.part) {
      if (!words.dry_run)
        for (const char* ending : {".nut", ".json", ".jsonl"})
          remove_leftovers(part_path(words.folder, i, plan.key(i)) + ending);
      parts.push_back(std::move(*state.part));
      continue;
    }
    missing += fmt::format("{}{}", missing.empty() ? "" : ",", i);
    if (first.empty()) first = fmt::format("part {}: {}", i, state.why_not);
  }
  if (!missing.empty())
    throw Error(MessageKind::part, "these parts cannot be joined", missing, first,
                "'vidconv shard' makes them");
  return parts;
}

// Finds out anew what is copied: the plan tells of what is encoded alone.
Keeping keep_as_planned(const ClusterPlan& plan, JobOptions options) {
  options.device = {.kind = DeviceRequest::Kind::cpu};
  options.notify = options.source.notify = options.sink.notify = nullptr;
  options.sink.lose = refuse_loss;
  Job job(std::move(options));
  job.open();
  const std::optional<Keeping>& keeping = job.keeping();
  if (!keeping || parts_of(*keeping) != plan.parts || fitting_of(*keeping) != *plan.fitting)
    throw Error(MessageKind::plan, "the plan cannot be used", redacted(plan.source.path),
                "other stretches of the source would be copied, or be fitted otherwise",
                "make it again with 'vidconv plan'");
  return *keeping;
}

// Writes the audits of all parts, and behind them what is said of copied stretches.
void write_audit(ReportFiles& reports, const std::vector<FinishedShard>& parts,
                 const KeptPackets* kept) {
  ByteWriter* const audit = reports.audit();
  if (!audit) return;
  for (const FinishedShard& part : parts) {
    const std::string path = std::filesystem::path(part.path).replace_extension(".jsonl").string();
    Digest digest;
    read_regular(path, MessageKind::part, [&](std::string_view block) {
      digest.add(block);
      audit->write(block);
    });
    if (digest.take() != part.ledger.audit) check_audit(path, part.ledger);
  }
  if (kept)
    for (const std::string& line : kept->audit()) audit->write(line);
  reports.finish_audit();
}

int join_all(const ClusterPlan& plan, const Options& options,
             const std::vector<FinishedShard>& parts) {
  ClusterRun run(options.quiet);
  capture_av_log();
  run.files.reads("the input", options.input);
  run.files.writes("the output", options.output);
  Options reported = options;
  reported.stats_file.clear();  // a join has no report
  ReportFiles reports(reported);
  reports.open(run.files);
  JobOptions job = job_options(options, run.notify, run.files, run.interrupted, nullptr);
  check_source(plan, job.source);
  std::shared_ptr<const KeptPackets> kept;
  if (plan.fitting) {
    const Keeping keeping = keep_as_planned(plan, job);
    job.sink.encoder = keeping.encoder;
    kept = keeping.kept;
  }
  SourceOptions from = job.source;
  from.copies_only = true;
  auto source = open_source(options.input, from);
  if (const auto turn = orientations_to_apply(*source, job.orientation, options.output, job.sink);
      !turn.empty()) {
    name_turned(*source, turn, job.sink);
    source = turn_source(std::move(source), turn, plain_memory);
  }
  InputInfo shown = source->info();
  VideoInfo& video = shown.videos.at(0).info;
  video = every_of(video, job.work(video).reach());
  if (options.compare) shown = compared(shown, *options.compare);
  const OutputPlan output = plan_output(options.output, job.sink, shown.videos);
  const Joined joined = join_parts(*source, output, shown.videos.at(0), parts, kept.get());
  write_audit(reports, parts, kept.get());
  if (!options.quiet)
    say(fmt::format("{} frames of {} parts -> {} ({})", joined.frames, joined.parts,
                    verbatim(options.output), joined.description));
  if (!joined.damage.any()) return 0;
  run.messages.warn(MessageKind::damaged, describe(joined.damage, options.input));
  return static_cast<int>(Fault::damaged);
}

}  // namespace

int run_join(const WorkerWords& words) {
  const ClusterPlan plan = ClusterPlan::load(words.folder);
  const std::string output = words.output.empty() ? words.folder + "/parts/output" + plan.ending
                                                  : file_output(words.output);
  Options options = plan.options(output, words.machine);
  options.audit_file = words.audit;
  if (!words.audit.empty() && !plan.audit)
    refuse("--audit", words.audit, "the plan is without one", "give it to 'vidconv plan' too");
  check_host(plan, options);
  Options opened = options;
  opened.sink.encoder.own.clear();  // whose files are not to be opened: see check_planned()
  if (words.output.empty()) opened.output = "";
  enter_sandbox(opened, {words.folder});
  const std::vector<FinishedShard> parts = find_parts(plan, words);
  return words.dry_run ? 0 : join_all(plan, options, parts);
}

}  // namespace vidconv
