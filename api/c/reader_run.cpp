#include "api/c/reader_run.h"

#include <utility>

#include "api/c/device_frames.h"
#include "api/c/frame_words.h"
#include "pipeline/settings/settings_job.h"

namespace vidconv {
namespace {

constexpr std::size_t waiting_frames = 2;

JobCallbacks without_progress(JobCallbacks callbacks) {
  callbacks.progress = nullptr;
  return callbacks;
}

// Runs of one reader read different frames, and each counts which of its boxes were applied.
Settings with_own_boxes(Settings settings) {
  if (settings.boxes) settings.boxes = settings.boxes->anew();
  return settings;
}

}  // namespace

ReaderOrder reader_order(const vidconv_job& job, bool on_device) {
  Settings settings = job.words.settings();
  if (settings.input.empty())
    throw Error(Fault::usage, "cannot open a reader", "", "`input` is not set", "set it");
  if (!settings.source.video)
    throw Error(Fault::usage, "cannot open a reader", "", "frames are those of one video",
                "set `video` to a number");
  want_kernel(settings);
  const std::optional<int> device =
      on_device ? std::optional(device_of_frames(settings, "cannot keep frames on the device"))
                : std::nullopt;
  const std::string& format = settings.sink.encoder.pixel_format;
  const PixelFormat* const wanted = format.empty() ? nullptr : &format_named(format);
  settings.sink = {};
  settings.measures = {};
  settings.target.reset();
  settings.output = "null:";
  return {std::move(settings), wanted, device};
}

ReaderRun::ReaderRun(const ReaderOrder& order, const JobCallbacks& callbacks,
                     std::atomic<bool>& stop, const ReaderStart& start,
                     const std::function<void(const SourceOptions&)>& see)
    : number_(start.number),
      skipped_(start.skipped),
      frames_(std::make_shared<HandedFrames>(waiting_frames)),
      run_(with_own_boxes(order.settings), without_progress(callbacks), stop,
           [&](JobOptions& options) {
             if (see) see(options.source);
             options.source.interval = start.interval;
             if (options.source.frames) *options.source.frames -= start.read_from;
             options.wanted = start.wanted;
             options.sink_on_device = order.device.has_value();
             options.open_sink = [this](const OutputPlan&, const InputInfo&) {
               return make_handing_sink(frames_,
                                        [this](Frame frame) { return change(std::move(frame)); });
             };
           }) {
  run_.open();
  video_ = run_.job().source()->video();
  if (order.format && order.device && order.format != video_.format)
    throw Error(Fault::usage, "cannot convert frames on the device",
                Error::Value::naming("`pixel_format`"),
                "they come as " + video_.format->name + ", as the video has them",
                "leave it out, or let frames come to the host");
  if (order.format && !order.device) {
    converter_.emplace(video_, *order.format, threads_of(order.settings));
    video_ = converter_->video();
  }
  run_.start([this] { frames_->close(); });
}

// Runs on the sink's thread.
std::optional<Frame> ReaderRun::change(Frame frame) {
  if (skipped_ > 0) {
    --skipped_;
    return std::nullopt;
  }
  frame.set_place(frame.video(), number_ + taken_++);
  return converter_ ? converter_->convert(frame) : std::move(frame);
}

std::optional<Frame> ReaderRun::next() {
  if (std::optional<Frame> next = frames_->pop()) return next;
  run_.join();
  run_.conclude();
  return std::nullopt;
}

}  // namespace vidconv
