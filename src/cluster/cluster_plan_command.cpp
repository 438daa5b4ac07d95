// vidconv plan
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "pipeline/av/container.h"
#include "pipeline/base/url.h"
#include "pipeline/cluster/sink_shard.h"
#include "pipeline/encode/sharded_encoder.h"
#include "pipeline/io/digest.h"
#include "pipeline/platform/process.h"
#include "pipeline/run/job.h"
#include "pipeline/source/packet_survey.h"
#include "src/cluster/cluster_commands.h"
#include "src/cluster/job_scripts.h"
#include "src/options/job_settings.h"
#include "src/options/option_values.h"
#include "src/process/interrupt.h"
#include "src/process/standard_streams.h"

namespace vidconv {
namespace {

Options plan_options(const PlanWords& words, const KeptWords& kept) {
  std::vector<const char*> argv{"vidconv"};
  for (const std::string& word : words.rest) argv.push_back(word.c_str());
  Options o = parse_options(static_cast<int>(argv.size()), argv.data());
  if (o.list != List::none) refuse("plan", "", "lists are printed without it", "leave out plan");
  if (!o.shards) refuse("--shards", "", "a plan is of parts", "add --shards auto");
  if (words.exact && o.keep_unchanged)
    refuse("--exact", "", "what --keep-unchanged copies is not decoded", "leave out one");
  if (o.decoder.kind == DecoderRequest::Kind::nvdec)
    refuse("--decoder", "nvdec", "workers decode their parts on the CPU", "leave it out");
  const bool file = !is_url(o.input) && o.input != "-" && !o.input.starts_with("pattern:");
  if (file) o.input = std::filesystem::absolute(local_path(o.input)).string();
  check_shared(o.input);
  // The options are parsed as the workers will parse them.
  std::vector<std::string> job = kept.job;
  job.push_back("--shards=1");
  std::vector<std::string> machine = kept.machine;
  std::erase_if(machine, [](const std::string& word) {
    return word.starts_with("--device=") || word.starts_with("--variant=");
  });
  machine.emplace_back("--device=cpu");
  Options planned = options_of(o.input, file_output(o.output), job, machine);
  planned.shards = o.shards;
  if (!o.audit_file.empty()) planned.audit_file = std::filesystem::absolute(o.audit_file).string();
  planned.quiet = o.quiet || words.script != JobScript::none;
  return planned;
}

class Planner {
 public:
  Planner(const PlanWords& words, const KeptWords& kept, const Options& options)
      : words_(words), options_(options), run_(options.quiet) {
    plan_.words = kept.job;
    plan_.audit = !options.audit_file.empty();
    plan_.ending = ending_of(options.output);
    plan_.kernels = digests_of_kernels(options);  // before the sandbox
  }

  // Names the options that workers must be given, if no script passes them on. -y also applies to
  // the plan itself.
  void name_what_workers_are_told(const std::vector<std::string>& machine) {
    for (const std::string& word : machine)
      if (word != "-y")
        run_.notify(MessageKind::no_effect,
                    fmt::format("a plan does not hold {}: give it to 'vidconv shard' and "
                                "'vidconv join'",
                                verbatim(word)));
    if (plan_.audit)
      run_.notify(MessageKind::no_effect,
                  "a plan does not say where its audit is written: give --audit FILE to 'vidconv "
                  "join' too");
  }

  ClusterPlan make() {
    capture_av_log();
    open_job(options_.keep_unchanged);
    if (options_.keep_unchanged && !job_->keeping()) {  // it has said why: no plan has to
      std::erase(plan_.words, "--keep-unchanged");
      open_job(false);
    }
    if (!job_->source()->container().get())
      throw Error(MessageKind::command_line, "cannot plan parts of", redacted(options_.input),
                  "they are made of a container that all hosts can read",
                  "use --shards on one host");
    plan_.versions = library_versions();
    plan_.source = identify(options_.input, source_options());
    choose_output();
    if (job_->keeping())
      take_parts_between_copies(*job_->keeping());
    else
      count_frames();
    return plan_;
  }

 private:
  void open_job(bool keep_unchanged) {
    JobOptions options = job_options(options_, run_.notify, run_.files, run_.interrupted, nullptr);
    options.keep_unchanged = keep_unchanged;
    options.in_order = !keep_unchanged;  // the source is read here, once
    job_.emplace(std::move(options));
    job_->open();
  }

  SourceOptions source_options() {
    SourceOptions o = job_options(options_, nullptr, run_.files, run_.interrupted, nullptr).source;
    o.files = nullptr;
    return o;
  }

  // Opens the output that join will open, so that what join would refuse is refused now.
  void choose_output() {
    const OutputPlan output = job_->plan();
    InputInfo shown = job_->source()->info();
    if (options_.compare) shown = compared(shown, *options_.compare);
    shards_ = *output.options.encoder.shards;
    video_ = shown.videos[0].info;
    plan_.shards = shards_text();
    plan_.time_base = video_.time_base;
    const auto encoder =
        make_part_encoder(output.encoders[0], video_, output.options.encoder,
                          output.container->flags & AVFMT_GLOBALHEADER, nullptr, nullptr);
    check_cluster_encoder(*encoder);
    plan_.header = digest_of({reinterpret_cast<const char*>(encoder->context().extradata),
                              static_cast<std::size_t>(encoder->context().extradata_size)});
    open_sink(output, shown);
  }

  std::string shards_text() const {
    // The length that was asked for cuts what is encoded between copies.
    const ShardOptions& cut = job_->keeping() ? *options_.shards : shards_;
    if (cut.automatic) return "auto";
    return cut.count > 0 ? fmt::format("{}", cut.count) : fmt::format("{}s", cut.length);
  }

  void take_parts_between_copies(const Keeping& keeping) {
    plan_.parts = parts_of(keeping);
    if (plan_.parts.empty())
      throw Error(MessageKind::command_line, "there is nothing to plan", redacted(options_.input),
                  "no filter acts on any frame, and all is copied", "leave out plan");
    plan_.fitting = fitting_of(keeping);
    plan_.counted = "packets";
  }

  void count_frames() {
    Source& source = *job_->source();
    std::optional<Frame> first = next_frame(source);
    if (!first)
      throw Error(MessageKind::no_frame, "there is nothing to plan", redacted(options_.input),
                  "it has no frame in the part that was asked for");
    const std::int64_t begin = first->av().pts;
    first.reset();
    SourceOptions quiet = source_options();
    quiet.video_only = true;
    Survey survey = survey_packets(options_.input, quiet, source, begin);
    const bool decoded = words_.exact || !survey.exact;
    if (!decoded) {
      survey.times = results_of(survey.times);
    } else {
      survey.times = {begin};
      while (const std::optional<Frame> frame = next_frame(source))
        survey.times.push_back(frame->av().pts);
      check_whole(source);
    }
    plan_.seeks = survey.seeks;
    plan_.counted = decoded ? "decoded" : "packets";
    ShardCuts cuts(shards_, video_);
    std::int64_t part = -1;
    for (const std::int64_t time : survey.times) {
      if (const std::int64_t its = cuts.part_of(time); std::exchange(part, its) != its)
        plan_.parts.push_back({.begin = time});
      ++plan_.parts.back().frames;
    }
  }

  // Returns the times of the frames that come out, the first of which is the first one given.
  std::vector<std::int64_t> results_of(const std::vector<std::int64_t>& times) const {
    const auto every = static_cast<std::size_t>(job_->works()[0].reach().every);
    std::vector<std::int64_t> results;
    for (std::size_t i = 0; i < times.size(); i += every) results.push_back(times[i]);
    return results;
  }

  std::optional<Frame> next_frame(Source& source) const {
    while (std::optional<Item> item = source.next())
      if (Frame* frame = std::get_if<Frame>(&*item)) return std::move(*frame);
    if (run_.interrupted) throw interrupted_error("there is no plan");
    return std::nullopt;
  }

  void check_whole(const Source& source) const {
    if (const Damage damage = source.damage(); damage.any())
      throw Error(MessageKind::damaged, "cannot plan parts of", redacted(options_.input),
                  describe(damage, options_.input) +
                      ": what hosts make of it would depend on where they begin",
                  "use --shards on one host");
  }

  const PlanWords& words_;
  const Options& options_;
  ClusterRun run_;
  std::optional<Job> job_;
  ShardOptions shards_;
  VideoInfo video_;
  ClusterPlan plan_;
};

void make_plan_folder(const std::string& folder) {
  for (const std::string& path : {folder, folder + "/parts"})
    if (mkdir(path.c_str(), 0777) != 0 && errno != EEXIST)
      throw Error(Fault::output, "cannot make the folder", path, std::strerror(errno));
}

void write_plan(const ClusterPlan& plan, const std::string& folder, bool overwrite) {
  const std::string path = folder + "/plan.json", text = plan.json();
  if (is_there(path)) {
    if (read_text(path, MessageKind::plan) == text) return;
    if (!overwrite)
      throw Error(MessageKind::output_exists, "cannot write the plan", path,
                  "another one is there already",
                  "choose another --dir, or use -y: parts that are the same are kept");
  }
  write_text(path, "the plan", text);
}

}  // namespace

int run_plan(const PlanWords& words) {
  const KeptWords kept = kept_words(words.rest);
  const Options options = plan_options(words, kept);
  const std::string folder = std::filesystem::absolute(words.folder).string();
  if (!words.dry_run) make_plan_folder(folder);
  Planner planner(words, kept, options);
  if (words.script == JobScript::none) planner.name_what_workers_are_told(kept.machine);
  Options opened = options;
  opened.audit_file.clear();  // it is for join to write
  enter_sandbox(opened, {words.dry_run ? "" : folder});
  const ClusterPlan plan = planner.make();
  if (words.dry_run) {
    print(plan.json());
    return 0;
  }
  const std::string script =
      words.script == JobScript::none
          ? ""
          : job_script(words.script, {folder, options.output, options.audit_file, kept.machine},
                       plan.parts.size());
  write_plan(plan, folder, options.sink.overwrite);
  if (!script.empty())
    print_for_programs(script);
  else if (!options.quiet)
    say(fmt::format(
        "{} frames in {} parts, counted by {}, planned in {}", plan.frames(), plan.parts.size(),
        plan.counted == "packets" ? "their packets" : "decoding them", verbatim(words.folder)));
  return 0;
}

}  // namespace vidconv
