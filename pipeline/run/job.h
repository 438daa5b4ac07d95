// Job: filters an input into an output, from the choice of a device to the output's name. The
// command and the library share it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/notice.h"
#include "pipeline/decode/decoder_request.h"
#include "pipeline/device/device_choice.h"
#include "pipeline/filter/processor.h"
#include "pipeline/measure/measure_log.h"
#include "pipeline/run/audit.h"
#include "pipeline/run/compare.h"
#include "pipeline/run/run.h"
#include "pipeline/run/upright.h"
#include "pipeline/run/waking_device.h"
#include "pipeline/sink/sink.h"
#include "pipeline/source/source.h"
#include "pipeline/unchanged/keep_unchanged.h"
#include "pipeline/work/timed_work.h"

namespace vidconv {

struct JobOptions {
  std::string input, output;  // as open_source() and plan_output() take them
  SourceOptions source;       // without `nvdec` and `memory`, which depend on the device
  SinkOptions sink;
  DeviceRequest device;
  // The caller woke it for several jobs, and also reports what was chosen; none: the job wakes what
  // `device` asks for.
  std::optional<WakingDevice> woken;
  // The index of the only device to use among several, modulo their number; none: all of them take
  // frames in turn.
  std::optional<std::size_t> one_device;
  DecoderRequest decoder;
  OrientationRequest orientation;
  std::function<TimedWork(const VideoInfo&)> work;  // returns what is done to a video's frames
  // Only frames whose pts it holds come out; others are read for filters over time. All, without.
  Stretch wanted = {};
  // Opens the source of the frames; empty: vidconv::open_source() of `input`. A job that copies
  // packets of a file reads it by itself.
  std::function<std::unique_ptr<Source>(const SourceOptions&)> open_source;
  // Opens the sink of the frames; empty: vidconv::open_sink().
  std::function<std::unique_ptr<Sink>(const OutputPlan&, const InputInfo&)> open_sink;
  // The sink that `open_sink` makes takes frames in the memory of the device, which has to be one
  // CUDA device; nothing looks at them on the CPU.
  bool sink_on_device = false;
  bool keep_unchanged = false;  // unfiltered stretches are copied as they are coded, where possible
  bool in_order = false;        // frames come in order of time, even where shards could take turns
  int slots = 0;                // 0: as many as the device and the frames want
  ProcessorOptions processor;   // without the device and `slots`
  std::optional<Comparison> compare;
  std::optional<int> verify_every;  // frames
  // Seconds from a frame's decoding to its being in the output: frames that would take longer are
  // dropped, counted and reported. All stages in between buffer as little as they can. 0: no limit.
  double latency = 0;
  bool realtime = false;  // RunOptions::realtime
  // Packets are decoded again and compared with the encoder's input.
  std::optional<MeasureOptions> measure;
  bool watched = false;         // RunOptions::watcher is set: it sees frames in host memory
  WriteAudit audit;             // for the frames of the first video; empty: none
  std::int64_t audit_from = 0;  // the number of its first frame, where others read those before
  Notify notify;
};

// Belongs to one thread. Its parts exist from the call on that makes them, also when a later one
// throws.
class Job {
 public:
  // Wakes the device on another thread, because that takes long.
  explicit Job(JobOptions options);

  // Opens the input, waits until the device is known, and decides the work. Throws Error(input),
  // Error(device), Error(usage).
  void open();
  // Returns the plan of the output. After open().
  OutputPlan plan();
  // Returns whether filtered frames go to such an output without passing through host memory.
  static bool stays_on_device(const OutputPlan& plan) {
    return plan.options.encoder.device.has_value();
  }
  // Makes the processor of one video, as large as the device's memory allows; it may run on the CPU
  // where the device was chosen automatically. Call it after open(); it replaces an earlier one.
  Processor& prepare(std::size_t video, bool stay_on_device);
  // Does everything: opens the output while the processors are made, filters all frames and
  // finishes the output. Call it after open(). The caller sets the observer and `reached` in
  // `options`, the job sets the rest.
  RunResult run(RunOptions options);

  // Return nullptr until the objects exist.
  Source* source() const { return source_.get(); }
  const Processor* processor() const { return processor_.get(); }
  const Sink* sink() const { return sink_.get(); }
  const std::vector<TimedWork>& works() const { return works_; }  // one per video
  // Returns what is copied, and how the rest is encoded; none where all is encoded. After open().
  const std::optional<Keeping>& keeping() const { return keeping_; }
  // Returns the limits that follow from JobOptions::latency; none without it. After open().
  std::optional<LatencyLimits> latency() const;
  // Returns whether other jobs filter the same frames of the host (ProcessorOptions::uploads).
  // After open().
  bool shares_uploads() const {
    return options_.processor.uploads && !turned_ && !reads_alone_ && !source_->on_device();
  }
  // Returns how many frames are in flight inside that video's processor.
  int slots(const VideoInfo& video) const;

 private:
  void give_windows();
  const DeviceChoice& device();
  bool cpu_sees_frames() const {
    return options_.verify_every || options_.compare || options_.measure || options_.audit ||
           options_.watched;
  }
  InputInfo shown() const;  // the videos of the output
  ProcessorOptions processor_options(const VideoInfo& video) const;
  ProcessorOptions verifying_options(const VideoInfo& video) const;
  std::unique_ptr<Processor> make_fitting(std::size_t video, bool stay_on_device);
  std::unique_ptr<Processor> make_all(
      const std::function<std::unique_ptr<Processor>(std::size_t video)>& make) const;
  std::unique_ptr<Verifier> make_verifier() const;
  std::unique_ptr<Source> open_input(const SourceOptions& from) const;
  void turn_upright(const SourceOptions& from);
  bool needs_order() const;
  void keep_what_is_unchanged(const SourceOptions& from);
  RunResult run_once(RunOptions options);
  void check_boxes() const;
  void check_kept() const;
  void say_dropped(const RunResult& result) const;

  const JobOptions options_;
  DeviceChoice device_;
  bool device_known_ = false;
  std::unique_ptr<MeasureLog> measure_log_;  // outlives the sink
  std::unique_ptr<Source> source_;
  std::vector<TimedWork> works_;
  bool turned_ = false;             // upright, into frames of this job's own
  bool reads_alone_ = false;        // not from JobOptions::open_source
  bool any_order_ = false;          // VideoInfo::any_order
  std::optional<Keeping> keeping_;  // where JobOptions::keep_unchanged is possible
  bool lost_order_ = false;  // the input is read in order of time, since the other order failed
  std::unique_ptr<Processor> processor_;
  std::unique_ptr<Sink> sink_;
  WakingDevice waking_;  // ends before all that it uses
};

}  // namespace vidconv
