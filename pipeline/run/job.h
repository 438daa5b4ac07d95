// Job: an input that is filtered into an output, from the choice of a device to the output's name.
// What the command and the library have in common.
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
#include "pipeline/work/timed_work.h"

namespace vidconv {

struct JobOptions {
  std::string input, output;  // as open_source() and plan_output() take them
  SourceOptions source;       // without `nvdec` and `memory`, which depend on the device
  SinkOptions sink;
  DeviceRequest device;
  // Woken for several jobs by the caller, who also says what was chosen; none: the job wakes what
  // `device` asks for.
  std::optional<WakingDevice> woken;
  // Of several devices only this one, counted round; none: all of them take frames in turn.
  std::optional<std::size_t> one_device;
  DecoderRequest decoder;
  OrientationRequest orientation;
  std::function<TimedWork(const VideoInfo&)> work;  // what is done to frames of a video
  // Opens what the frames come from; empty: vidconv::open_source() of `input`.
  std::function<std::unique_ptr<Source>(const SourceOptions&)> open_source;
  // Opens what the frames go to; empty: vidconv::open_sink().
  std::function<std::unique_ptr<Sink>(const OutputPlan&, const InputInfo&)> open_sink;
  bool in_order = false;  // frames come in order of time, though parts could have them in turns
  int slots = 0;          // 0: as many as the device and the frames want
  ProcessorOptions processor;  // without the device and `slots`
  std::optional<Comparison> compare;
  std::optional<int> verify_every;  // frames
  // Seconds from a frame's decoding to its being in the output: what would take longer is dropped,
  // counted and said. Whatever stands in between keeps as little as it can. 0: all frames count.
  double latency = 0;
  bool realtime = false;  // RunOptions::realtime
  // What is encoded is decoded again and compared with what went into the encoder.
  std::optional<MeasureOptions> measure;
  bool watched = false;  // RunOptions::watcher is there: it sees frames in the host's memory
  WriteAudit audit;      // of the frames of the first video; empty: none
  Notify notify;
};

// Belongs to one thread. Its parts are there from the call on that makes them, also when a later
// one throws.
class Job {
 public:
  // Wakes the device, which takes its time on another thread.
  explicit Job(JobOptions options);

  // Opens the input, waits until the device is known and decides what is done. Throws Error(input),
  // Error(device), Error(usage).
  void open();
  // What would come out. After open().
  OutputPlan plan();
  // Whether filtered frames go to such an output without having seen the CPU.
  static bool stays_on_device(const OutputPlan& plan) {
    return plan.options.encoder.device.has_value();
  }
  // Makes what filters one of the videos, as large as the device's memory allows; it may be one of
  // the CPU where the choice was ours. After open(); replaces an earlier one.
  Processor& prepare(std::size_t video, bool stay_on_device);
  // All of it: opens the output while the processors are made, filters everything and finishes the
  // output. After open(). Of `options` the observer and `reached` are the caller's, the rest the
  // job's.
  RunResult run(RunOptions options);

  // nullptr until they are there.
  Source* source() const { return source_.get(); }
  const Processor* processor() const { return processor_.get(); }
  const Sink* sink() const { return sink_.get(); }
  const std::vector<TimedWork>& works() const { return works_; }  // of each video
  // What JobOptions::latency comes to; none without it. After open().
  std::optional<LatencyLimits> latency() const;
  // Frames in flight inside the processor of that video.
  int slots(const VideoInfo& video) const;

 private:
  const DeviceChoice& device();
  bool cpu_sees_frames() const {
    return options_.verify_every || options_.compare || options_.measure || options_.audit ||
           options_.watched;
  }
  InputInfo shown() const;  // what the output is made of
  ProcessorOptions processor_options(const VideoInfo& video) const;
  ProcessorOptions verifying_options(const VideoInfo& video) const;
  std::unique_ptr<Processor> make_fitting(std::size_t video, bool stay_on_device);
  std::unique_ptr<Processor> make_all(
      const std::function<std::unique_ptr<Processor>(std::size_t video)>& make) const;
  std::unique_ptr<Verifier> make_verifier() const;
  std::unique_ptr<Source> open_input(const SourceOptions& from) const;
  void turn_upright(const SourceOptions& from);
  bool needs_order() const;
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
  bool any_order_ = false;   // VideoInfo::any_order
  bool lost_order_ = false;  // the input is read in order of time, since that could not be kept
  std::unique_ptr<Processor> processor_;
  std::unique_ptr<Sink> sink_;
  WakingDevice waking_;  // ends before all that it uses
};

}  // namespace vidconv
