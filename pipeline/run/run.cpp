#include "pipeline/run/run.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "pipeline/base/channel.h"
#include "pipeline/base/stopwatch.h"
#include "pipeline/platform/numa.h"
#include "pipeline/run/first_failure.h"
#include "pipeline/run/ledger.h"
#include "pipeline/run/live_line.h"
#include "pipeline/run/pacer.h"
#include "pipeline/run/reporter.h"

namespace vidconv {
namespace {

// Tells how much of the video's time has been encoded.
class Position {
 public:
  void advance(const AVFrame& frame, AVRational time_base) {
    const double at = static_cast<double>(frame.pts) * av_q2d(time_base);
    if (!begin_) begin_ = at;
    seconds_ = at - *begin_ + static_cast<double>(frame_duration(frame)) * av_q2d(time_base);
  }
  // Adds a frame where frames do not come in order of time.
  void add(const AVFrame& frame, AVRational time_base) {
    ticks_ += frame_duration(frame);
    seconds_ = static_cast<double>(ticks_) * av_q2d(time_base);
  }
  double seconds() const { return seconds_; }

 private:
  std::optional<double> begin_;
  std::int64_t ticks_ = 0;
  double seconds_ = 0;
};

// Does and counts what each stage does to a frame, on whatever thread that is.
class RunSteps {
 public:
  RunSteps(Source& source, Processor& processor, Sink& sink, const RunOptions& options)
      : source_(source), processor_(processor), sink_(sink), options_(options), reporter_(options) {
    if (options.realtime) pacer_.emplace(options.interrupted);
  }

  // The next that comes out of the source, but for frames to skip.
  std::optional<Item> read() {
    for (;;) {
      TraceSpan span(options_.trace, "decode");
      const bool first = options_.begun && options_.begun->item.valid();
      std::optional<Item> item =
          decode_.time([&] { return first ? options_.begun->item.get() : source_.next(); });
      const Frame* frame = item ? std::get_if<Frame>(&*item) : nullptr;
      if (!frame) return item;
      span.set_frame(frame->number());
      if (options_.skip && options_.skip(*frame)) {
        ++frames_.skipped;
        continue;
      }
      ++frames_.decoded;
      const AVRational time_base = videos_.at(frame->video()).info.time_base;
      if (pacer_) pacer_->wait_until(static_cast<double>(frame->av().pts) * av_q2d(time_base));
      return item;
    }
  }
  // Makes a read() that waits for a frame's time return. Thread-safe.
  void cancel() {
    if (pacer_) pacer_->cancel();
  }

  // Returns false where the processor was cancelled.
  bool submit(Frame frame) {
    if (options_.verifier) options_.verifier->keep(frame);
    if (options_.watcher) options_.watcher->before(frame);
    const TraceSpan span(options_.trace, "submit", frame.number());
    return processor_.submit(std::move(frame));
  }

  // The sink may keep the frame for long, if it is the input's: nobody filters it any more.
  void check(Frame& filtered) {
    ++frames_.filtered;
    filtered.set_upload(nullptr);
    if (options_.verifier) options_.verifier->check(filtered);
    if (options_.watcher) options_.watcher->after(filtered);
  }

  void write(Frame frame) {
    const TraceSpan span(options_.trace, "encode", frame.number());
    const AVRational time_base = videos_.at(frame.video()).info.time_base;
    if (options_.any_order || brought_ > 0)  // by an earlier run: there are gaps
      position_.add(frame.av(), time_base);
    else
      position_.advance(frame.av(), time_base);
    encode_.time([&] { sink_.write(std::move(frame)); });
    ++frames_.encoded;
    bytes_ = sink_.bytes();
    reporter_.report(seconds_since(start_), [&](double now) { return progress(now); });
  }

  void copy(PacketPtr packet) {
    encode_.time([&] { sink_.copy(std::move(packet)); });
  }

  // Finishes the output after the last frame; `stages` ends all stages before that. If something
  // throws, options.reached gets the results so far.
  template <class F>
  RunResult finish(const LiveLine<Frame>* line, F&& stages) {
    line_ = line;
    try {
      stages();
      if (line) frames_.dropped = line->log().dropped;
      reporter_.report_last(seconds_since(start_), frames_.encoded + sink_.frames_brought(),
                            [&](double now) { return progress(now); });
      check_before_finish(frames_, source_, sink_);
      if (options_.check) options_.check(result());
      {
        const TraceSpan span(options_.trace, "end: output", 0);
        encode_.time([&] { sink_.finish(); });
      }
      check_finished(frames_, sink_);
      return result();
    } catch (...) {
      // If no thread could be started to take it, the first item may still be on its way.
      if (options_.begun && options_.begun->item.valid()) options_.begun->item.wait();
      if (options_.reached) *options_.reached = result();
      throw;
    }
  }

 private:
  Progress progress(double now) const {
    const std::int64_t brought = sink_.frames_brought();
    const double brought_seconds = sink_.seconds_brought();
    return {.decoded = frames_.decoded,
            .filtered = frames_.filtered,
            .encoded = frames_.encoded + brought,
            .seconds = now,
            .position = position_.seconds() + brought_seconds,
            .bytes = bytes_,
            .parts = sink_.parts(),
            .brought = brought,
            .brought_seconds = brought_seconds,
            .stages = stages()};
  }

  RunResult result() const {
    RunResult r;
    r.decoded = frames_.decoded;
    r.filtered = frames_.filtered;
    r.encoded = frames_.encoded;
    if (line_) r.latency = line_->log();
    r.passed_on = processor_.passed_on();
    r.written = sink_.frames();
    r.brought = sink_.frames_brought();
    r.verified = options_.verifier ? options_.verifier->checked() : 0;
    if (options_.verifier) r.verified_by = options_.verifier->other();
    r.damage = source_.damage();
    r.streams = source_.accounts();
    r.copies = sink_.copies();
    for (const auto& [stream, copies] : r.copies) {
      r.damage.refused += copies.refused;
      r.damage.marked += copies.failed;
    }
    r.bytes = sink_.bytes();
    r.parts = sink_.parts();
    r.seconds = seconds_since(start_);
    r.stages = stages();
    r.memory = processor_.memory();
    r.memory.host += source_.memory();
    return r;
  }

  std::vector<StageTime> stages() const {
    std::vector<StageTime> all{{"decode", source_.seconds().value_or(decode_.seconds())}};
    for (StageTime& stage : processor_.stages()) all.push_back(std::move(stage));
    all.push_back({"encode", encode_.seconds()});
    return all;
  }

  Source& source_;
  const std::vector<InputVideo> videos_ = source_.videos();
  Processor& processor_;
  Sink& sink_;
  const RunOptions& options_;
  const Clock::time_point start_ = options_.begun ? options_.begun->since : Clock::now();
  const std::int64_t brought_ = sink_.frames_brought();
  FrameCounts frames_;
  Stopwatch decode_, encode_;
  std::optional<Pacer> pacer_;
  ProgressReporter reporter_;  // the sink's thread's, as the next two
  Position position_;
  std::int64_t bytes_ = 0;
  const LiveLine<Frame>* line_ = nullptr;  // may be null
};

// Holds the stages of run(), one thread each, and the channels between them. Each stage is called
// with a reference for the number of its frame. While it waits, that is the number of the next one,
// if known, so that a failure is attributed to it.
class Stages {
 public:
  Stages(RunSteps& steps, Processor& processor, const RunOptions& options)
      : steps_(steps),
        processor_(processor),
        any_order_(options.any_order),
        decoded_(options.channel_capacity),
        finished_(options.channel_capacity) {
    if (options.latency) line_.emplace(*options.latency);
  }

  // Replaces the channel behind the decoder; may be null.
  const LiveLine<Frame>* line() const { return line_ ? &*line_ : nullptr; }

  void cancel() {
    if (line_) line_->cancel();
    decoded_.cancel();
    processor_.cancel();
    finished_.cancel();
  }

  void decode(std::optional<std::int64_t>& at) {
    at = after(-1);
    while (std::optional<Item> item = steps_.read()) {
      if (Frame* frame = std::get_if<Frame>(&*item)) {
        at = after(frame->number());
        if (!(line_ ? line_->push(std::move(*frame)) : decoded_.push(std::move(*frame)))) return;
      } else if (!finished_.push(std::move(*item))) {
        return;
      }
    }
    if (line_) line_->close();
    decoded_.close();
  }

  void submit(std::optional<std::int64_t>& at) {
    run_near(nodes_of_devices());
    while (std::optional<Frame> frame = line_ ? line_->pop() : decoded_.pop()) {
      at = frame->number();
      if (!steps_.submit(std::move(*frame))) return;
    }
    processor_.close();
  }

  void collect(std::optional<std::int64_t>& at) {
    at = after(-1);
    while (std::optional<Frame> frame = processor_.collect()) {
      at = frame->number();
      steps_.check(*frame);
      at = after(frame->number());
      if (!finished_.push(Item(std::move(*frame)))) return;
    }
    // The source has ended before the last frame came out, so no packet can follow.
    finished_.close();
  }

  void encode(std::optional<std::int64_t>& at) {
    while (std::optional<Item> item = finished_.pop()) {
      if (PacketPtr* packet = std::get_if<PacketPtr>(&*item)) {
        steps_.copy(std::move(*packet));
        continue;
      }
      Frame& frame = std::get<Frame>(*item);
      at = frame.number();
      steps_.write(std::move(frame));
      if (line_) line_->finished();
    }
  }

 private:
  std::optional<std::int64_t> after(std::int64_t frame) const {
    return any_order_ ? std::nullopt : std::optional(frame + 1);
  }
  // Returns 0 where a device's node is unknown: then no node is nearer than another.
  Nodes nodes_of_devices() const {
    Nodes nodes = 0;
    for (const DeviceUse& use : processor_.devices()) {
      if (!use.node) return 0;
      nodes |= Nodes{1} << *use.node;
    }
    return nodes;
  }

  RunSteps& steps_;
  Processor& processor_;
  const bool any_order_;
  std::optional<LiveLine<Frame>> line_;
  Channel<Frame> decoded_;
  Channel<Item> finished_;
};

}  // namespace

std::string limiting_stage(const std::vector<StageTime>& stages) {
  const auto longest = std::ranges::max_element(stages, {}, &StageTime::seconds);
  return longest == stages.end() || longest->seconds == 0 ? "" : longest->name;
}

RunResult run(Source& source, Processor& processor, Sink& sink, const RunOptions& options) {
  RunSteps steps(source, processor, sink, options);
  Stages stages(steps, processor, options);
  FirstFailure failure([&] {
    source.cancel();
    steps.cancel();
    stages.cancel();
    sink.cancel();
  });
  {
    std::vector<std::jthread> threads;
    threads.reserve(3);
    const auto start = [&](auto stage) {
      threads.emplace_back([&, stage] {
        failure.guard([&](std::optional<std::int64_t>& at) { (stages.*stage)(at); });
      });
    };
    failure.guard([&](auto&) {  // started stages must not wait for one that is not
      start(&Stages::decode);
      start(&Stages::submit);
      start(&Stages::collect);
    });
    failure.guard([&](std::optional<std::int64_t>& at) { stages.encode(at); });
  }
  return steps.finish(stages.line(), [&] { failure.rethrow(); });
}

RunResult run_serial(Source& source, Processor& processor, Sink& sink, const RunOptions& options) {
  RunSteps steps(source, processor, sink, options);
  const auto filter = [&](std::optional<std::int64_t>& at) {
    if (!options.any_order) at = 0;
    while (std::optional<Item> item = steps.read()) {
      if (PacketPtr* packet = std::get_if<PacketPtr>(&*item)) {
        steps.copy(std::move(*packet));
        continue;
      }
      Frame& frame = std::get<Frame>(*item);
      at = frame.number();
      steps.submit(std::move(frame));
      std::optional<Frame> filtered = processor.collect();
      if (!filtered) throw Error(Fault::internal, "the processor was cancelled", "", "");
      steps.check(*filtered);
      steps.write(std::move(*filtered));
      at = options.any_order ? std::nullopt : std::optional(*at + 1);
    }
  };
  return steps.finish(nullptr, [&] {
    with_frame_number(filter);
    processor.close();
  });
}

}  // namespace vidconv
