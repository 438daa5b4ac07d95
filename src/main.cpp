// The command: from options to an exit code.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

extern "C" {
#include <libavutil/cpu.h>
}

#include "kernels/convolver/usable_threads.h"
#include "pipeline/av/av_log.h"
#include "pipeline/av/container.h"
#include "pipeline/base/url.h"
#include "pipeline/bytes/byte_io.h"
#include "pipeline/device/cuda.h"
#include "pipeline/encode/picture_file.h"
#include "pipeline/filter/processor_fit.h"
#include "pipeline/run/run.h"
#include "src/asked.h"
#include "src/benchmark.h"
#include "src/device.h"
#include "src/explain.h"
#include "src/gallery.h"
#include "src/interrupt.h"
#include "src/lists.h"
#include "src/messages.h"
#include "src/options.h"
#include "src/progress.h"
#include "src/report.h"
#include "src/sandbox.h"
#include "src/standard_streams.h"

namespace vidconv {
namespace {

constexpr double observer_seconds = 0.05;  // oftener than anybody looks at the progress

// Of a run that has failed when it had got so far. What a signal ends before the first frame does
// not fail; after that 128 + its number promises a finished output.
int exit_code(const Error& error, std::int64_t frames) {
  const int signal = interrupting_signal();
  return signal != 0 && frames == 0 ? 128 + signal : static_cast<int>(error.fault());
}

// What the source gives first, read while the processor is made; given up where that fails.
struct FirstItem {
  explicit FirstItem(Source& from)
      : source(from), begun{std::async(std::launch::async, [&from] { return from.next(); })} {}
  ~FirstItem() {
    if (begun.item.valid()) source.cancel();
  }

  Source& source;
  Begun begun;
};

class Command {
 public:
  explicit Command(Options options)
      : options_(std::move(options)),
        interrupted_(install_interrupt_handlers()),
        messages_(options_.quiet),
        notify_([this](Message kind, const std::string& line) { messages_.notify(kind, line); }) {}

  // The exit code.
  int run() {
    try {
      return work();
    } catch (...) {
      return fail(current_error());
    }
  }

 private:
  int work() {
    sandbox_ = enter_sandbox(options_);
    capture_av_log();
    av_cpu_force_count(usable_threads());  // for decoders and encoders that ask libavutil
    claim_files();
    if (options_.gallery) return gallery();
    waking_ = wake_chosen_device(device_word(options_), trace_.get());
    for (const FilterSpec& filter : options_.filters) {
      warn(Message::gain, filter.gain_warning());
      warn(Message::one_row, filter.shape_warning());
    }
    source_ = open_input();
    device();
    for (const auto& [stream, info] : source_->videos())
      works_.push_back(work_for(options_, info, notify_));
    return options_.explain             ? explain_all()
           : options_.benchmark_seconds ? benchmark(*options_.benchmark_seconds)
                                        : filter();
  }

  // What is read and what is written, before there is any work; opens the reports.
  void claim_files() {
    const Options& o = options_;
    files_.reads("the input", o.input);
    if (o.input == "-") files_.reads("the input", STDIN_FILENO);
    for (const FilterSpec& filter : o.filters)
      if (!filter.file().empty()) files_.reads("the file of a kernel", filter.file());
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO})  // which may be one
      files_.writes("standard output or error", fd);
    const bool runs = !o.explain && !o.benchmark_seconds;
    if (runs && o.output != "null:" && o.output != "md5:" && o.output != "-" &&
        !is_numbered(o.output))
      files_.writes("the output", o.output);
    // Both are looked at before either is made.
    std::optional<PartialFile::Options> stats, trace;
    if (!o.stats_file.empty() && o.stats_file != "-")
      stats = report_options("the report of --stats", o.stats_file, o, files_);
    if (!o.trace_file.empty())
      trace = report_options("the file of --trace", o.trace_file, o, files_);
    if (stats) stats_ = std::make_unique<PartialFile>(o.stats_file, *stats);
    if (trace) trace_ = std::make_unique<Trace>(o.trace_file, *trace);
  }

  void warn(Message kind, const std::string& warning) const {
    if (!warning.empty()) notify_(kind, "warning: " + warning);
  }

  int explain_all() {
    const std::vector<InputVideo> videos = source_->videos();
    std::optional<OutputPlan> plan;
    if (!options_.output.empty()) plan = plan_for(videos);
    std::string text;
    for (std::size_t i = videos.size(); i-- > 0;) {  // the report is of the first
      const VideoInfo& video = videos[i].info;
      processor_.reset();
      processor_ = processor_for(works_[i], video);
      std::string input = redacted(options_.input);
      if (videos.size() > 1) input += fmt::format(", video {} of {}", i + 1, videos.size());
      std::string about = explain(input, video, source_->on_device(), stay_on_device_, works_[i],
                                  *processor_, slots(options_, device_, video));
      const std::string encoder = plan ? describe_encoder(*plan, i, video) : "";
      if (!encoder.empty()) about += fmt::format("encoder {}\n", encoder);
      text.insert(0, about);
    }
    result_.memory = processor_->memory();
    if (options_.stats_file != "-") print(text);
    return finish_reports({});
  }

  int benchmark(double seconds) {
    processor_ = processor_for(works_[0], source_->video());
    const BenchmarkResult result = run_benchmark(*source_, *processor_, seconds);
    if (!options_.stats_file.empty())
      write_stats(benchmark_json(result, *source_, *processor_, sandbox_ ? &*sandbox_ : nullptr));
    if (options_.stats_file != "-") print(benchmark_table(result, *source_, *processor_));
    if (trace_) trace_->finish();
    return 0;
  }

  std::unique_ptr<Source> open_input() {
    const TraceSpan span(trace_.get(), "start: input", 0);
    return open_source(options_.input, source_options());
  }
  std::unique_ptr<Sink> open_output(const OutputPlan& plan, const InputInfo& input) {
    const TraceSpan span(trace_.get(), "start: output", 0);
    return open_sink(plan, input);
  }
  // What comes out of these videos. Frames that NVENC takes on the device stay there, but where the
  // CPU has to see them.
  OutputPlan plan_for(const std::vector<InputVideo>& videos) {
    SinkOptions o = sink_options(options_, notify_);
    o.interrupted = &interrupted_;
    o.files = &files_;
    OutputPlan plan = plan_output(options_.output, o, videos);
    stay_on_device_ = device().device == Device::cuda && !options_.verify_every &&
                      !options_.compare && plan.takes_device_frames;
    if (stay_on_device_) plan.options.encoder.device = device_.index;
    return plan;
  }
  // Waits until it is known.
  const DeviceChoice& device() {
    if (waking_.choice.valid()) {
      device_ = waking_.choice.get();
      if (!device_.why.empty()) notify_(Message::device_chosen, device_.why);
    }
    return device_;
  }

  // As large as the device's memory allows; what --device auto has chosen may be the CPU after all.
  std::unique_ptr<Processor> processor_for(const Work& work, const VideoInfo& video) {
    if (waking_.awake.valid()) waking_.awake.wait();
    ProcessorOptions o = processor_options(options_, device_, video, trace_.get());
    o.stay_on_device = stay_on_device_;
    const bool or_cpu =
        device_word(options_) == "auto" && !decodes_on_device(options_) && !stay_on_device_;
    auto processor = make_fitting_processor(
        [&](const ProcessorOptions& with) {
          return make_processor(work, video.width, video.height, with);
        },
        o, or_cpu, notify_);
    device_.device = o.device;
    if (pinned_memory_ran_out())
      notify_(Message::fallback, "there is not enough pinned memory: copies take longer");
    return processor;
  }

  SourceOptions source_options() {
    SourceOptions o = vidconv::source_options(options_, notify_);
    o.nvdec = choose_decoder(options_.decoder, decodes_on_device(options_) ? device() : device_,
                             options_.verify_every || options_.compare, notify_);
    o.interrupted = &interrupted_;
    o.files = &files_;
    return o;
  }

  // What filters all videos of the source, and joins with the originals where that is asked for;
  // each made by `make`.
  std::unique_ptr<Processor> make_filter(
      const std::function<std::unique_ptr<Processor>(const Work&, const VideoInfo&)>& make) const {
    std::vector<std::unique_ptr<Processor>> all;
    for (const auto& [stream, video] : source_->videos()) {
      all.push_back(make(works_[all.size()], video));
      if (options_.compare)
        all.back() = make_compare_processor(std::move(all.back()), video, *options_.compare);
    }
    return join_processors(std::move(all));
  }

  std::unique_ptr<Verifier> make_verifier() const {
    if (!options_.verify_every) return nullptr;
    const auto other = [&](const Work& work, const VideoInfo& video) {
      return make_processor(work, video.width, video.height,
                            verifying_options(options_, device_, video));
    };
    return std::make_unique<Verifier>(make_filter(other), *options_.verify_every);
  }

  int gallery() {
    source_ = open_input();
    const FramePtr sheet = draw_gallery(
        *source_, {options_.filters, planes(options_), options_.border, threads(options_)});
    result_.bytes =
        write_picture(*sheet, options_.output, {.overwrite = options_.overwrite, .files = &files_});
    result_.decoded = result_.filtered = result_.encoded = result_.written = 1;
    return finish_reports({});
  }

  int filter() {
    Source& source = *source_;
    const InputInfo input =
        options_.compare ? compared(source.info(), *options_.compare) : source.info();
    const OutputPlan plan = plan_for(input.videos);
    auto processor_made = std::async(std::launch::async, [&] {
      const TraceSpan span(trace_.get(), "start: processor", 0);
      return make_filter(
          [&](const Work& work, const VideoInfo& video) { return processor_for(work, video); });
    });
    sink_ = open_output(plan, input);
    FirstItem first(source);
    processor_ = processor_made.get();
    const auto verifier = make_verifier();

    {
      ProgressDisplay display(options_.quiet ? ProgressMode::none : options_.progress,
                              total_of(source));
      const Messages::Beside beside(messages_, display);
      Progress last;
      const auto run_all = one_by_one() ? run_serial : vidconv::run;
      result_ = run_all(source, *processor_, *sink_,
                        {.observer =
                             [&](const Progress& progress) {
                               last = progress;
                               display.show(progress);
                             },
                         .observer_interval = observer_seconds,
                         .reached = &result_,
                         .trace = trace_.get(),
                         .verifier = verifier.get(),
                         .begun = &first.begun});
      display.finish(last);
    }
    if (trace_) trace_->finish();  // before it is said that all is done

    const int signal = interrupting_signal();
    if (!options_.quiet) {
      const bool kept = options_.output != "null:" && options_.output != "md5:";
      say(summary(result_, options_.output, kept ? sink_->description() : ""));
    }
    if (result_.damage.any())
      messages_.warn(Message::damaged, describe(result_.damage, options_.input));
    if (signal != 0)
      messages_.warn(Message::interrupted, "interrupted: the output holds the frames so far");
    const int code = signal != 0            ? 128 + signal
                     : result_.damage.any() ? static_cast<int>(Fault::damaged)
                                            : 0;
    return finish_reports({.exit_code = code, .interrupted = signal != 0});
  }

  // The exit code of the ending.
  int finish_reports(const Ending& ending) {
    if (trace_) trace_->finish();
    write_report(ending);
    return ending.exit_code;
  }

  // Frames are so large that several at once would take too much memory.
  bool one_by_one() const {
    return std::ranges::any_of(source_->videos(), [](const InputVideo& video) {
      return is_huge(video.info.format->id, video.info.width, video.info.height);
    });
  }

  int fail(const Error& error) {
    if (interrupting_signal() != 0 && result_.encoded == 0)
      messages_.warn(Message::interrupted,
                     "interrupted before the first frame: there is no output");
    else
      messages_.warn(error.kind(), error.message());
    const int code = exit_code(error, result_.encoded);
    const auto attempt = [&](const auto& report) {
      try {
        report();
      } catch (const Error& unwritable) {
        if (unwritable.message() != error.message())
          messages_.warn(unwritable.kind(), unwritable.message());
      }
    };
    attempt([&] {
      if (trace_) trace_->finish();
    });
    attempt([&] { write_report({code, interrupting_signal() != 0, &error}); });
    return code;
  }

  void write_report(const Ending& ending) {
    if (options_.stats_file.empty()) return;
    const Parts parts{source_.get(), works_.empty() ? nullptr : &works_[0], processor_.get(),
                      sink_.get(), sandbox_ ? &*sandbox_ : nullptr};
    write_stats(stats_json(result_, options_, parts, messages_.said(), ending));
  }

  // Once.
  void write_stats(const std::string& json) {
    if (options_.stats_file == "-") return print(json);
    const auto file = std::exchange(stats_, nullptr);
    if (!file) return;  // it is what failed
    ByteWriter(file->fd(), options_.stats_file).write(json);
    file->commit();
  }

  const Options options_;
  const std::atomic<bool>& interrupted_;
  Messages messages_;
  const Notify notify_;
  std::optional<Sandbox> sandbox_;
  DeviceChoice device_;
  bool stay_on_device_ = false;  // filtered frames
  RunFiles files_;
  std::unique_ptr<Trace> trace_;
  std::unique_ptr<PartialFile> stats_;

  // The run, as far as it has come.
  std::unique_ptr<Source> source_;
  std::vector<Work> works_;  // of each video
  std::unique_ptr<Processor> processor_;
  std::unique_ptr<Sink> sink_;
  RunResult result_;

  WakingDevice waking_;  // ends before all that it uses
};

int command(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  if (options.list != List::none) {
    print_list(options.list);
    return 0;
  }
  return Command(options).run();
}

}  // namespace
}  // namespace vidconv

int main(int argc, char** argv) {
  vidconv::prepare_standard_streams();
  try {
    return vidconv::command(argc, argv);
  } catch (...) {
    const vidconv::Error error = vidconv::current_error();
    vidconv::say(error.kind(), error.message());
    return vidconv::exit_code(error, 0);
  }
}
