#include "pipeline/run/run.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "pipeline/base/channel.h"
#include "pipeline/base/stopwatch.h"

namespace vidconv {
namespace {

// What each stage has done so far; each field is written by one stage and read by others.
class Ledger {
 public:
  Ledger(const Source& source, const Processor& processor, const RunOptions& options)
      : source_(source), processor_(processor), options_(options) {}

  std::atomic<std::int64_t> decoded = 0, filtered = 0, encoded = 0;
  Stopwatch decode, encode;

  void report() {
    if (!options_.observer) return;
    const double now = seconds_since(start_);
    if (now < next_report_) return;
    next_report_ = now + options_.observer_interval;
    reported_ = encoded;
    options_.observer({decoded, filtered, encoded, now, position_, bytes_, stages()});
  }

  // The next that comes out of the source.
  std::optional<Item> read(Source& source) {
    TraceSpan span(options_.trace, "decode");
    const bool first = options_.begun && options_.begun->item.valid();
    std::optional<Item> item =
        decode.time([&] { return first ? options_.begun->item.get() : source.next(); });
    if (item)
      if (const Frame* frame = std::get_if<Frame>(&*item)) span.set_frame(frame->number());
    return item;
  }

  void write(Sink& sink, Frame frame) {
    const TraceSpan span(options_.trace, "encode", frame.number());
    const double time_base = av_q2d(videos_.at(frame.video()).info.time_base);
    const auto at = static_cast<double>(frame.av().pts) * time_base;
    if (encoded == 0) begin_ = at;
    position_ = at - begin_ + static_cast<double>(frame_duration(frame.av())) * time_base;
    encode.time([&] { sink.write(std::move(frame)); });
    ++encoded;
    bytes_ = sink.bytes();
    report();
  }

  // After the last frame. Throws Error(unaccounted) where frames or packets were lost or made up,
  // Error(no_frame) where there was none: an empty output takes no older one's place.
  void finish(Sink& sink) {
    if (reported_ != encoded) {
      next_report_ = 0;
      report();
    }
    check_complete(sink);
    if (encoded == 0) refuse_nothing();
    encode.time([&] { sink.finish(); });
  }

  // Does `rest`, the end of a run, after which all is accounted for; where it throws, what there
  // is by then is in options.reached.
  template <class F>
  RunResult account_for(const Sink& sink, F&& rest) const {
    try {
      rest();
      if (sink.frames() != encoded)
        throw Error(Message::unaccounted, "frames were lost", "",
                    std::to_string(encoded) + " went to the sink, " +
                        std::to_string(sink.frames()) + " came out of it");
      return result(sink);
    } catch (...) {
      // Where no thread could be started to take it, the first item may still be on its way.
      if (options_.begun && options_.begun->item.valid()) options_.begun->item.wait();
      if (options_.reached) *options_.reached = result(sink);
      throw;
    }
  }

 private:
  [[noreturn]] void refuse_nothing() const {
    const std::string truncated = source_.damage().truncated;
    throw Error(Message::no_frame, "there is nothing to filter", "",
                truncated.empty()
                    ? "the input has no frame in the part that was asked for"
                    : "the input ends before the part that was asked for: " + truncated,
                "choose an earlier --start");
  }

  // Before the sink is finished.
  void check_complete(const Sink& sink) const {
    const std::vector<StreamAccount> streams = source_.accounts();
    std::int64_t handed_on = streams.empty() ? decoded.load() : 0;
    const std::map<int, CopyAccount> copies = sink.copies();
    for (const StreamAccount& stream : streams) {
      const auto copy = copies.find(stream.stream);
      const std::string wrong = imbalance(stream, copy == copies.end() ? nullptr : &copy->second);
      if (!wrong.empty())
        throw Error(Message::unaccounted, "what was read is not accounted for", "", wrong);
      if (stream.filtered) handed_on += stream.frames_handed_on;
    }
    if (handed_on == decoded && decoded == filtered && filtered == encoded) return;
    throw Error(Message::unaccounted, "frames were lost", "",
                std::to_string(handed_on) + " came, " + std::to_string(decoded) + " decoded, " +
                    std::to_string(filtered) + " filtered, " + std::to_string(encoded) +
                    " encoded");
  }

  RunResult result(const Sink& sink) const {
    RunResult r;
    r.decoded = decoded;
    r.filtered = filtered;
    r.encoded = encoded;
    r.written = sink.frames();
    r.verified = options_.verifier ? options_.verifier->checked() : 0;
    if (options_.verifier) r.verified_by = options_.verifier->other();
    r.damage = source_.damage();
    r.streams = source_.accounts();
    r.copies = sink.copies();
    for (const auto& [stream, copies] : r.copies) {
      r.damage.refused += copies.refused;
      r.damage.marked += copies.failed;
    }
    r.bytes = sink.bytes();
    r.seconds = seconds_since(start_);
    r.stages = stages();
    r.memory = processor_.memory();
    r.memory.host += source_.memory();
    return r;
  }

  std::vector<StageTime> stages() const {
    std::vector<StageTime> all{{"decode", decode.seconds()}};
    for (StageTime& stage : processor_.stages()) all.push_back(std::move(stage));
    all.push_back({"encode", encode.seconds()});
    return all;
  }

  const Source& source_;
  const std::vector<InputVideo> videos_ = source_.videos();
  const Processor& processor_;
  const RunOptions& options_;
  const Clock::time_point start_ = options_.begun ? options_.begun->since : Clock::now();
  double next_report_ = 0;           // seconds; by the sink's thread, as the next
  std::int64_t reported_ = -1;       // frames
  double begin_ = 0, position_ = 0;  // seconds of the video's time
  std::int64_t bytes_ = 0;
};

// Runs `stage(frame)`, which keeps `frame` at the number of the frame it works on, and turns
// whatever it throws into an Error that carries the number.
template <class F>
void with_frame_number(F&& stage) {
  std::optional<std::int64_t> frame;
  try {
    stage(frame);
  } catch (...) {
    Error error = current_error();
    if (frame) error.set_frame(*frame);
    throw error;
  }
}

// The first failure of several stages; it stops them all.
class FirstFailure {
 public:
  explicit FirstFailure(std::function<void()> stop_all) : stop_all_(std::move(stop_all)) {}

  template <class F>
  void guard(F&& stage) {
    try {
      with_frame_number(stage);
    } catch (...) {
      {
        const std::lock_guard lock(mutex_);
        if (!first_) first_ = std::current_exception();
      }
      stop_all_();
    }
  }

  // After every stage has ended.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  const std::function<void()> stop_all_;
  std::mutex mutex_;
  std::exception_ptr first_;
};

}  // namespace

std::string limiting_stage(const std::vector<StageTime>& stages) {
  const auto longest = std::ranges::max_element(stages, {}, &StageTime::seconds);
  return longest == stages.end() || longest->seconds == 0 ? "" : longest->name;
}

RunResult run(Source& source, Processor& processor, Sink& sink, const RunOptions& options) {
  Ledger ledger(source, processor, options);
  Channel<Frame> decoded(options.channel_capacity);
  Channel<Item> finished(options.channel_capacity);
  FirstFailure failure([&] {
    source.cancel();
    decoded.cancel();
    processor.cancel();
    finished.cancel();
    sink.cancel();
  });

  Trace* const trace = options.trace;

  // Where a stage waits for the next frame, a failure is that frame's.
  const auto decode = [&](std::optional<std::int64_t>& at) {
    at = 0;
    while (std::optional<Item> item = ledger.read(source)) {
      if (Frame* frame = std::get_if<Frame>(&*item)) {
        at = frame->number() + 1;
        ++ledger.decoded;
        if (!decoded.push(std::move(*frame))) return;
      } else if (!finished.push(std::move(*item))) {
        return;
      }
    }
    decoded.close();
  };

  const auto submit = [&](std::optional<std::int64_t>& at) {
    while (std::optional<Frame> frame = decoded.pop()) {
      at = frame->number();
      if (options.verifier) options.verifier->keep(*frame);
      const TraceSpan span(trace, "submit", frame->number());
      if (!processor.submit(std::move(*frame))) return;
    }
    processor.close();
  };

  const auto collect = [&](std::optional<std::int64_t>& at) {
    at = 0;
    while (std::optional<Frame> frame = processor.collect()) {
      at = frame->number();
      ++ledger.filtered;
      if (options.verifier) options.verifier->check(*frame);
      at = frame->number() + 1;
      if (!finished.push(Item(std::move(*frame)))) return;
    }
    // The source has ended before the last frame came out, so no packet is still to come.
    finished.close();
  };

  const auto encode = [&](std::optional<std::int64_t>& at) {
    while (std::optional<Item> item = finished.pop()) {
      if (PacketPtr* packet = std::get_if<PacketPtr>(&*item)) {
        ledger.encode.time([&] { sink.copy(std::move(*packet)); });
        continue;
      }
      Frame& frame = std::get<Frame>(*item);
      at = frame.number();
      ledger.write(sink, std::move(frame));
    }
  };

  {
    std::vector<std::jthread> threads;
    threads.reserve(3);
    failure.guard([&](auto&) {  // those that have begun do not wait for one that cannot
      threads.emplace_back([&] { failure.guard(decode); });
      threads.emplace_back([&] { failure.guard(submit); });
      threads.emplace_back([&] { failure.guard(collect); });
    });
    failure.guard(encode);
  }
  return ledger.account_for(sink, [&] {
    failure.rethrow();
    ledger.finish(sink);
  });
}

RunResult run_serial(Source& source, Processor& processor, Sink& sink, const RunOptions& options) {
  Ledger ledger(source, processor, options);
  const auto filter = [&](std::optional<std::int64_t>& at) {
    at = 0;
    while (std::optional<Item> item = ledger.read(source)) {
      if (PacketPtr* packet = std::get_if<PacketPtr>(&*item)) {
        ledger.encode.time([&] { sink.copy(std::move(*packet)); });
        continue;
      }
      Frame& frame = std::get<Frame>(*item);
      at = frame.number();
      ++ledger.decoded;
      if (options.verifier) options.verifier->keep(frame);
      {
        const TraceSpan span(options.trace, "submit", *at);
        processor.submit(std::move(frame));
      }
      std::optional<Frame> filtered = processor.collect();
      if (!filtered) throw Error(Fault::internal, "the processor was cancelled", "", "");
      ++ledger.filtered;
      if (options.verifier) options.verifier->check(*filtered);
      ledger.write(sink, std::move(*filtered));
      at = *at + 1;
    }
  };
  return ledger.account_for(sink, [&] {
    with_frame_number(filter);
    processor.close();
    ledger.finish(sink);
  });
}

}  // namespace vidconv
