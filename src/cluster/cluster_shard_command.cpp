// vidconv shard
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

extern "C" {
#include <libavutil/cpu.h>
}

#include "pipeline/base/url.h"
#include "pipeline/cluster/sink_shard.h"
#include "pipeline/io/byte_io.h"
#include "pipeline/io/digest.h"
#include "pipeline/io/partial_file.h"
#include "pipeline/platform/process.h"
#include "pipeline/platform/usable_threads.h"
#include "pipeline/run/job.h"
#include "src/cluster/cluster_commands.h"
#include "src/options/job_settings.h"
#include "src/process/interrupt.h"
#include "src/run/progress.h"
#include "src/run/report_files.h"

namespace vidconv {
namespace {

// The lines of --audit for the frames of a part.
struct PartAudit {
  explicit PartAudit(const std::string& path)
      : file(path, {.what = "the audit of the part", .overwrite = true, .files_only = true}),
        writer(file.fd(), path) {}
  PartialFile file;
  ByteWriter writer;
};

class Worker {
 public:
  Worker(const WorkerWords& words, const ClusterPlan& plan, Options options)
      : plan_(plan),
        options_(std::move(options)),
        number_(static_cast<std::size_t>(words.number)),
        key_(plan.key(number_)),
        path_(part_path(words.folder, number_, key_)),
        run_(options_.quiet),
        reports_(options_) {}

  // Returns whether the shard exists and is complete.
  bool is_done() {
    if (!is_there(path_ + ".json")) return false;
    try {
      const ShardLedger ledger = read_ledger(path_ + ".json", key_);
      check_part(path_ + ".nut", ledger, true);
      if (plan_.audit) check_audit(path_ + ".jsonl", ledger);
      return std::ssize(ledger.packets) == plan_.parts[number_].frames;
    } catch (const Error& error) {
      run_.messages.warn(MessageKind::fallback, "the part is made again: " + error.message());
      return false;
    }
  }

  int run(bool dry_run) {
    if (is_done()) {
      run_.notify(MessageKind::part_done, fmt::format("part {} is there and whole", number_));
      return 0;
    }
    if (dry_run) {
      say(fmt::format("part {}: {} frames are to be encoded", number_,
                      plan_.parts[number_].frames));
      return 0;
    }
    capture_av_log();
    av_cpu_force_count(usable_threads());
    reports_.open(run_.files);
    encode();
    return 0;
  }

  // Returns "DIR/parts/I-KEY".
  const std::string& path() const { return path_; }

 private:
  void encode() {
    JobOptions options =
        job_options(options_, run_.notify, run_.files, run_.interrupted, reports_.trace());
    check_source(plan_, options.source);
    const InputVideo video = describe_video(options_.input, options.source);
    const Interval own = plan_.interval(number_, video.info);
    options.wanted = {.begin = own.first ? INT64_MIN : own.begin, .end = own.end};
    options.source.interval = plan_.interval(number_, video.info, options.work(video.info).reach());
    options.source.video_only = true;
    options.sink.encoder.shards->jobs = options.sink.encoder.shards->slots = 1;
    const std::int64_t frames = plan_.parts[number_].frames;
    std::optional<PartAudit> audit;
    if (plan_.audit) {
      audit.emplace(path_ + ".jsonl");
      options.audit = [&](const std::string& line) { audit->writer.write(line); };
      options.audit_from = plan_.frames_before(number_);
    }
    ShardSink* part = nullptr;
    options.open_sink = [&](const OutputPlan& output, const InputInfo& input) {
      auto sink = std::make_unique<ShardSink>(output, input, path_ + ".nut", frames);
      part = sink.get();
      return sink;
    };
    Job job(std::move(options));
    job.open();
    const RunResult result = filter(job, frames);
    if (run_.interrupted) throw interrupted_error("the part is not published");
    refuse_damage(result.damage);
    ShardLedger ledger = part->publish();
    if (digest_of(ledger.header) != plan_.header)
      throw Error(MessageKind::plan, "the plan cannot be used", part->description(),
                  "the encoder's header is not the one that the plan was made with",
                  "use the same libraries on all hosts");
    ledger.key = key_;
    if (audit) {
      audit->file.commit();
      ledger.audit = digest_of_regular(path_ + ".jsonl", MessageKind::part);
    }
    write_text(path_ + ".json", "the ledger of the part", ledger_json(ledger, number_), false);
    if (!options_.quiet)
      say(fmt::format("part {}: ", number_) + summary(result, path_ + ".nut", part->description()));
    write_report(job, result);
  }

  RunResult filter(Job& job, std::int64_t frames) {
    ProgressDisplay display(options_.quiet ? ProgressMode::none : options_.progress,
                            {.frames = frames, .exact = true, .seconds = {}});
    const Messages::Beside beside(run_.messages, display);
    Progress last;
    constexpr double observer_seconds = 0.05;
    RunResult result = job.run({.observer =
                                    [&](const Progress& progress) {
                                      last = progress;
                                      display.show(progress);
                                    },
                                .observer_interval = observer_seconds});
    display.finish(last);
    return result;
  }

  void refuse_damage(const Damage& damage) const {
    if (damage.any())
      throw Error(MessageKind::damaged, "the part is not published", path_,
                  describe(damage, options_.input), "use --shards on one host");
  }

  void write_report(const Job& job, const RunResult& result) {
    if (!reports_.wants_stats()) return;
    Parts parts{.source = job.source(), .processor = job.processor(), .sink = job.sink()};
    if (!job.works().empty()) parts.work = job.works().data();
    reports_.write_stats(stats_json(result, options_, parts, run_.messages.said(), {}));
  }

  const ClusterPlan& plan_;
  const Options options_;
  const std::size_t number_;
  const std::string key_, path_;
  ClusterRun run_;
  ReportFiles reports_;
};

}  // namespace

int run_shard(const WorkerWords& words) {
  const ClusterPlan plan = ClusterPlan::load(words.folder);
  if (static_cast<std::size_t>(words.number) >= plan.parts.size())
    throw Error(MessageKind::command_line, "there is no part", fmt::format("{}", words.number),
                fmt::format("the plan has {}, counted from 0", plan.parts.size()),
                "see 'vidconv join --dry-run'");
  // The name only selects the container; no file of that name is opened.
  const Options options =
      plan.shard_options(words.folder + "/parts/output" + plan.ending, words.machine);
  check_host(plan, options);
  Worker worker(words, plan, options);
  Options opened = options;
  opened.output = worker.path() + ".nut";
  opened.sink.encoder.own.clear();  // whose files are not to be opened: see check_planned()
  enter_sandbox(opened);
  return worker.run(words.dry_run);
}

}  // namespace vidconv
