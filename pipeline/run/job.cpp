#include "pipeline/run/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <utility>

#include "pipeline/av/frame_layout.h"
#include "pipeline/av/log_lines.h"
#include "pipeline/base/url.h"
#include "pipeline/device/cuda.h"
#include "pipeline/filter/processor_fit.h"
#include "pipeline/filter/region_place.h"
#include "pipeline/run/mask_videos.h"
#include "pipeline/run/verify.h"
#include "pipeline/shards/shard_store.h"
#include "pipeline/source/source_turned.h"
#include "pipeline/source/source_windowed.h"
#include "pipeline/unchanged/kept_packets.h"

namespace vidconv {
namespace {

// Reads the source's first item while the processor is made; cancels the source where that fails.
struct FirstItem {
  explicit FirstItem(Source& from)
      : source(from), begun{std::async(std::launch::async, [&from] { return from.next(); })} {}
  ~FirstItem() {
    if (begun.item.valid()) source.cancel();
  }

  Source& source;
  Begun begun;
};

// Returns how long so many frames take to come.
double seconds_of_frames(std::int64_t frames, AVRational rate) {
  return rate.num > 0 ? static_cast<double>(frames) / av_q2d(rate) : 0;
}

// Returns whether frames are so large that several at once would take too much memory.
bool one_by_one(const Source& source) {
  return std::ranges::any_of(source.videos(), [](const InputVideo& video) {
    return is_huge(video.info.format->id, video.info.width, video.info.height);
  });
}

// Sets what each part has to do so that frames are not late.
JobOptions with_latency(JobOptions options) {
  if (options.latency <= 0) return options;
  options.source.low_delay = true;
  options.sink.latency = options.latency;
  options.sink.encoder.low_delay = true;
  return options;
}

// In order of time: frames of parts that an earlier run has kept.
std::function<bool(const Frame&)> skip_kept(const ShardOptions& shards, const VideoInfo& video) {
  return [cuts = std::make_shared<ShardCuts>(shards, video), store = shards.store](
             const Frame& frame) { return store->has(cuts->part_of(frame.av().pts)); };
}

// Throws Error(command_line) where nothing that could be decoded again comes out.
void check_measurable(const OutputPlan& plan, std::size_t videos) {
  const auto refuse = [](const std::string& why, const std::string& remedy) {
    throw Error(MessageKind::command_line, "there is nothing to look at for",
                Error::Value::naming("`measure`"), why, remedy);
  };
  if (!plan.kind->other_streams)
    refuse("the output is " + std::string(plan.kind->name) + ", not a video file",
           "leave it out, or name a file such as out.mkv");
  if (videos > 1) refuse("it looks at one video", "choose one with `video` N");
  const EncoderChoice& encoder = plan.encoders.at(0);
  if (encoder.defaults.joins_frames || encoder.codec->id == AV_CODEC_ID_GIF)
    refuse(std::string(encoder.codec->name) + " makes pictures of another kind", "leave it out");
}

}  // namespace

Job::Job(JobOptions options)
    : options_(with_latency(std::move(options))),
      measure_log_(options_.measure ? std::make_unique<MeasureLog>(*options_.measure) : nullptr),
      waking_(options_.woken ? *options_.woken
                             : wake_chosen_device(options_.device, options_.processor.trace)) {}

void Job::open() {
  if (const std::string untried = untried_ffmpeg(); !untried.empty())
    notify(options_.notify, MessageKind::untried, untried);
  SourceOptions from = options_.source;
  // The device is not known yet: pinned memory is plain memory where there is none.
  if (options_.device.kind != DeviceRequest::Kind::cpu && has_cuda_driver())
    from.memory = pinned_memory;
  const bool on_device = options_.decoder.kind == DecoderRequest::Kind::nvdec;
  from.nvdec = choose_decoder(options_.decoder, on_device ? device() : device_, cpu_sees_frames(),
                              options_.notify);
  {
    const TraceSpan span(options_.processor.trace, "start: input", 0);
    source_ = open_input(from);
  }
  device();
  turn_upright(from);
  if (!options_.work) return;
  const auto masks = make_mask_videos(options_.source, options_.notify);
  for (const auto& [stream, video] : source_->videos()) {
    works_.push_back(options_.work(video));
    works_.back().read_masks(masks, {video.time_base, video.clock});
    for (const TimedWork* stage : stages_of(works_.back()))
      for (const Work& work : stage->cases()) check_regions(work, video.width, video.height);
  }
  if (options_.keep_unchanged) keep_what_is_unchanged(from);
  if (keeping_) return;
  give_windows();
  const auto& shards = options_.sink.encoder.shards;
  any_order_ = shards && may_be_in_turns(*shards) && !options_.in_order && !lost_order_ &&
               !needs_order() && source_->takes_order();
}

std::unique_ptr<Source> Job::open_input(const SourceOptions& from) const {
  if (options_.open_source && !reads_alone_) return options_.open_source(from);
  return open_source(options_.input, from);
}

void Job::turn_upright(const SourceOptions& from) {
  const std::vector<Orientation> shown =
      options_.output.empty()
          ? std::vector<Orientation>()
          : orientations_to_apply(*source_, options_.orientation, options_.output, options_.sink);
  if (shown.empty()) return;
  if (source_->on_device()) {
    notify(options_.notify, MessageKind::fallback,
           "decoding on the CPU, where pictures are turned upright");
    SourceOptions on_cpu = from;
    on_cpu.nvdec.reset();
    source_ = open_input(on_cpu);
  }
  if (!lost_order_) name_turned(*source_, shown, options_.sink);
  turned_ = true;
  source_ = turn_source(std::move(source_), shown, from.memory);
}

// Filters over time need the frames around each one.
void Job::give_windows() {
  std::vector<FrameReach> reaches;
  for (const TimedWork& work : works_) reaches.push_back(work.reach());
  const std::optional<Interval>& interval = options_.source.interval;
  if (std::ranges::any_of(works_, is_staged))
    source_ = vidconv::give_windows(std::move(source_), reaches, options_.sink.loss(),
                                    options_.wanted, interval ? interval->frames_before : 0);
}

// Blocks until the device is known.
const DeviceChoice& Job::device() {
  if (device_known_) return device_;
  device_ = waking_.choice.get();
  device_known_ = true;
  if (!options_.woken && !device_.why.empty())
    notify(options_.notify, MessageKind::device_chosen, device_.why);
  if (options_.one_device && !device_.indices.empty())
    device_.indices = {device_.indices[*options_.one_device % device_.indices.size()]};
  return device_;
}

// Returns whether something depends on consecutive frames: filters over time, moving boxes, mask
// videos, an audit.
bool Job::needs_order() const {
  const auto moves = [](const Work& work) {
    return work.boxes || std::ranges::any_of(work.steps, [](const Step& step) {
             return step.where && !step.where->place().mask_video().empty();
           });
  };
  return options_.measure || options_.audit || options_.watched || options_.latency > 0 ||
         std::ranges::any_of(works_, [&](const TimedWork& work) {
           return is_staged(work) || std::ranges::any_of(work.cases(), moves);
         });
}

// Where something depends on consecutive frames, stretches are encoded one after the other: then
// their frames come in order of time.
void Job::keep_what_is_unchanged(const SourceOptions& from) {
  keeping_.reset();
  const auto refuse = [this](const std::string& why) {
    notify(options_.sink.loss(), MessageKind::all_encoded,
           "`keep_unchanged`: all is encoded: " + why);
  };
  if (lost_order_ || options_.in_order)  // no loss to be refused: the damage itself will be
    return notify(options_.notify, MessageKind::all_encoded,
                  "`keep_unchanged`: all is encoded: the input is damaged, and is read in order");
  if (options_.compare) return refuse("`compare` changes every frame");
  if (source_->on_device()) return refuse("pictures are decoded on the device");
  if (std::ranges::any_of(works_, is_staged))
    return refuse("a filter over time reads the frames around those that it changes");
  // A source that several outputs share is read in order of time. One that copies decodes little by
  // itself.
  std::unique_ptr<Source> shared;
  if (options_.open_source && source_->container().get() && !reads_alone_) {
    if (turned_) return refuse("the pictures are turned upright");
    if (is_url(options_.input) || !std::filesystem::is_regular_file(local_path(options_.input)))
      return refuse("several outputs are made of an input that can be read once");
    SourceOptions again = from;
    again.notify = nullptr;
    again.files = nullptr;
    shared = std::exchange(source_, open_source(options_.input, again));
  }
  keeping_ = keep_unchanged({.source = *source_,
                             .input = options_.input,
                             .from = from,
                             .output = options_.output,
                             .sink = options_.sink,
                             .work = works_.at(0),
                             .looked_at = needs_order()});
  if (shared && keeping_)
    reads_alone_ = true;
  else if (shared)
    source_ = std::move(shared);
  any_order_ = keeping_.has_value();
  if (keeping_ && needs_order()) keeping_->encoder.shards->jobs = 1;
}

InputInfo Job::shown() const {
  InputInfo info =
      options_.compare ? compared(source_->info(), *options_.compare) : source_->info();
  for (InputVideo& video : info.videos) {
    video.info.any_order = any_order_;
    video.info.times = any_order_ ? source_->times() : nullptr;
  }
  return info;
}

OutputPlan Job::plan() {
  SinkOptions sink = options_.sink;
  if (keeping_) sink.encoder = keeping_->encoder;
  OutputPlan plan = plan_output(options_.output, sink, shown().videos);
  if (measure_log_) {
    check_measurable(plan, shown().videos.size());
    plan.options.encoder.measure = measure_log_.get();
  }
  if (device_.device == Device::cuda && device_.indices.size() == 1 && !cpu_sees_frames() &&
      (plan.takes_device_frames || options_.sink_on_device))
    plan.options.encoder.device = device_.indices[0];
  return plan;
}

int Job::slots(const VideoInfo& video) const {
  if (options_.slots > 0) return options_.slots;
  return default_slots(device_.device, *video.format, video.width, video.height);
}

ProcessorOptions Job::processor_options(const VideoInfo& video) const {
  ProcessorOptions o = options_.processor;
  o.device = device_.device;
  o.devices = device_.indices;
  if (!o.devices.empty()) o.device_index = o.devices[0];
  o.slots = slots(video);
  if (!shares_uploads()) o.uploads = nullptr;
  return o;
}

// Returns options for another way to compute the same frames: the CPU instead of CUDA, CUDA instead
// of the CPU where there is a device, else other variants on the CPU.
ProcessorOptions Job::verifying_options(const VideoInfo& video) const {
  ProcessorOptions o = processor_options(video);
  o.trace = nullptr;
  o.uploads = nullptr;  // the verifier has references of its own
  o.slots = 1;
  const bool on_cpu = o.device == Device::cpu;
  const bool only_cpu = std::ranges::any_of(works_, is_for_cpu);
  const bool other_device = !on_cpu || (!only_cpu && !cuda_devices().devices.empty());
  o.whole_planes = true;
  o.second_opinion = !other_device;
  if (other_device) {
    o.variant = nullptr;
    o.device = on_cpu ? Device::cuda : Device::cpu;
  }
  return o;
}

std::unique_ptr<Processor> Job::make_fitting(std::size_t number, bool stay_on_device) {
  if (waking_.awake.valid()) waking_.awake.wait();
  const VideoInfo video = source_->videos()[number].info;
  ProcessorOptions o = processor_options(video);
  o.stay_on_device = stay_on_device;
  const bool or_cpu = options_.device.kind == DeviceRequest::Kind::automatic && !stay_on_device &&
                      options_.decoder.kind != DecoderRequest::Kind::nvdec;
  // Frames in a device's memory are lost with it, so that no other one can stand in.
  if (!stay_on_device && options_.decoder.kind != DecoderRequest::Kind::nvdec)
    o.stand_ins = device_.stand_ins;
  o.cpu_stands_in = or_cpu;
  o.notify = [this](MessageKind kind, const std::string& line) {
    const bool failed = kind == MessageKind::device_failed;
    notify(failed ? options_.sink.loss() : options_.notify, kind, line);
  };
  auto processor = make_fitting_processor(
      [&](const ProcessorOptions& with) {
        return make_processor(works_[number], video.width, video.height, with);
      },
      o, or_cpu, o.notify);
  device_.device = o.device;
  if (pinned_memory_ran_out())
    notify(options_.notify, MessageKind::fallback,
           "there is not enough pinned memory: copies take longer");
  return processor;
}

Processor& Job::prepare(std::size_t video, bool stay_on_device) {
  processor_.reset();
  processor_ = make_fitting(video, stay_on_device);
  return *processor_;
}

// Joins the processors of all videos of the source, each made by `make`, with a comparison to the
// originals where that is asked for.
std::unique_ptr<Processor> Job::make_all(
    const std::function<std::unique_ptr<Processor>(std::size_t)>& make) const {
  std::vector<std::unique_ptr<Processor>> all;
  for (const auto& [stream, video] : source_->videos()) {
    all.push_back(make(all.size()));
    if (options_.compare)
      all.back() = make_compare_processor(std::move(all.back()), video, *options_.compare);
  }
  return join_processors(std::move(all));
}

std::unique_ptr<Verifier> Job::make_verifier() const {
  if (!options_.verify_every) return nullptr;
  const auto other = [&](std::size_t number) {
    const VideoInfo video = source_->videos()[number].info;
    return make_processor(works_[number], video.width, video.height, verifying_options(video));
  };
  return std::make_unique<Verifier>(make_all(other), *options_.verify_every);
}

// Checks the boxes; if only a range of the input is read, those within it.
void Job::check_boxes() const {
  const SourceOptions& from = options_.source;
  const bool interrupted = from.interrupted && *from.interrupted;
  const bool whole =
      !from.start && !from.duration && !from.frames && !from.interval && !interrupted;
  for (const TimedWork& work : works_)
    if (const auto& boxes = work.cases().back().boxes) boxes->check(whole);
}

std::optional<LatencyLimits> Job::latency() const {
  if (options_.latency <= 0) return std::nullopt;
  LatencyLimits limits = latency_limits(options_.latency, source_->video());
  for (const TimedWork& work : works_)
    limits.window =
        std::max(limits.window, seconds_of_frames(work.reach().after, source_->video().frame_rate));
  if (limits.window >= limits.seconds)
    throw Error(MessageKind::command_line, "`latency`",
                fmt::format("{:g} ms", 1e3 * options_.latency),
                fmt::format("a filter waits {:g} ms for frames after each", 1e3 * limits.window),
                "give more, or an anchor nearer to the last tap");
  return limits;
}

// Where shards are kept, an output that ends early is worth less than going on later.
void Job::check_kept() const {
  const auto& shards = options_.sink.encoder.shards;
  const std::atomic<bool>* const interrupted = options_.source.interrupted;
  if (((shards && shards->store) || keeping_) && interrupted && *interrupted)
    throw Error(MessageKind::interrupted, "there is no output yet", "", "it was interrupted");
}

void Job::say_dropped(const RunResult& result) const {
  if (!result.latency || result.latency->dropped == 0) return;
  notify(options_.sink.loss(), MessageKind::dropped,
         fmt::format(
             "{} of {} frames were dropped: they would have come out more than {:g} ms after they "
             "came in",
             result.latency->dropped, result.decoded, 1e3 * options_.latency));
}

RunResult Job::run(RunOptions options) {
  try {
    return run_once(options);
  } catch (const Error& error) {
    const std::atomic<bool>* interrupted = options_.source.interrupted;
    if (!source_->has_lost_order() || (interrupted && *interrupted)) throw;
    // This also holds with `strict`: the damage met first when reading in turns need not be the
    // first one, nor damage to a decoder that starts from the beginning.
    notify(options_.notify, MessageKind::fallback,
           fmt::format("{}: it is read again, in order", error.message()));
  }
  // No file of the output has its name yet, so that it can be made again.
  sink_.reset();
  processor_.reset();
  works_.clear();
  lost_order_ = true;
  open();
  return run_once(options);
}

RunResult Job::run_once(RunOptions options) {
  Trace* const trace = options_.processor.trace;
  const InputInfo input = shown();
  const OutputPlan plan = this->plan();
  if (plan.order) source_->set_order(plan.order);
  options.any_order = plan.order != nullptr;
  auto processor_made = std::async(std::launch::async, [&] {
    const TraceSpan span(trace, "start: processor", 0);
    return make_all([&](std::size_t video) {
      auto processor = make_fitting(video, stays_on_device(plan));
      if (!options_.audit || video > 0) return processor;
      return make_audit_processor(std::move(processor), works_[video],
                                  source_->videos()[video].info, options_.processor.scan,
                                  options_.audit_from, options_.audit);
    });
  });
  {
    const TraceSpan span(trace, "start: output", 0);
    sink_ = options_.open_sink ? options_.open_sink(plan, input) : open_sink(plan, input);
  }
  FirstItem first(*source_);
  processor_ = processor_made.get();
  const auto verifier = make_verifier();
  options.trace = trace;
  options.verifier = verifier.get();
  options.begun = &first.begun;
  const auto& shards = plan.options.encoder.shards;
  if (shards && shards->store && !plan.order && !needs_order())
    options.skip = skip_kept(*shards, input.videos.at(0).info);
  options.check = [this](const RunResult& result) {
    check_kept();
    check_boxes();
    say_dropped(result);
  };
  options.latency = latency();
  options.realtime = options_.realtime;
  options.interrupted = options_.source.interrupted;
  const bool serial = one_by_one(*source_);
  if (serial && options.latency)
    throw Error(
        MessageKind::command_line, "`latency`", fmt::format("{:g} ms", 1e3 * options_.latency),
        "frames of this size are filtered one by one, and nothing is dropped", "leave it out");
  RunResult result = (serial ? run_serial : vidconv::run)(*source_, *processor_, *sink_, options);
  if (measure_log_) result.measured = measure_log_->result();
  if (keeping_) result.copied = std::min(result.brought, keeping_->kept->frames());
  if (keeping_ && options_.audit)
    for (const std::string& line : keeping_->kept->audit()) options_.audit(line);
  return result;
}

}  // namespace vidconv
