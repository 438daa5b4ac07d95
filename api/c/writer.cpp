// vidconv_writer takes frames from the caller.
#include <array>
#include <cstring>
#include <future>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "api/c/call.h"
#include "api/c/device_frames.h"
#include "api/c/frame_words.h"
#include "api/c/job.h"
#include "api/c/plan_planes.h"
#include "pipeline/filter/caller_frames.h"
#include "pipeline/source/source_pushed.h"

namespace vidconv {
namespace {

constexpr std::size_t frames_that_wait = 2;

Settings writing(const vidconv_job& job) {
  Settings settings = job.words.settings();
  if (settings.output.empty())
    throw Error(Fault::usage, "cannot open a writer", "", "`output` is not set", "set it");
  want_kernel(settings);
  if (settings.target)
    throw Error(Fault::usage, "cannot open a writer", "", "`target` reads the input several times",
                "set `crf`");
  settings.source = {};
  return settings;
}

}  // namespace
}  // namespace vidconv

struct vidconv_writer {
  vidconv_writer(const vidconv_job& job, const vidconv::VideoInfo& info)
      : video(info),
        planes(*video.format, video.width, video.height),
        settings(vidconv::writing(job)),
        flag(job.opening, job.stop),
        run(settings, job.callbacks, stop,
            [this](vidconv::JobOptions& options) { join_to(options); }) {
    std::future<void> is_open = opened.get_future();
    run.open();
    run.start([this] {
      frames->channel.close();
      if (!was_opened) opened.set_value();
    });
    is_open.wait();
    flag.is_open();
    if (was_opened && !flag.stop()) return;
    cancel();
    run.join();
    run.conclude();
    throw vidconv::Error(vidconv::MessageKind::interrupted, "the writer was cancelled", "",
                         "there is no output");
  }
  ~vidconv_writer() { cancel(); }

  void cancel() {
    flag.stop() = true;
    frames->abandoned = true;
    frames->channel.cancel();
  }

  void write(const vidconv::PlaceOfPlane* from, std::int64_t pts) {
    vidconv::Frame frame(pool->get(), number);
    for (std::size_t p = 0; p < planes.extents().size(); ++p)
      for (int y = 0; y < planes.extents()[p].rows; ++y)
        std::memcpy(frame.row(static_cast<int>(p), y), from[p].data + from[p].stride * y,
                    static_cast<std::size_t>(planes.extents()[p].row_bytes));
    push({std::move(frame)}, pts);
  }

  void write_on_device(std::span<const vidconv::PlaceOfPlane> from, vidconv::CudaStream stream,
                       std::int64_t pts) {
    const int device = vidconv::device_of_frames(settings, "cannot take a frame from a device");
    // Frames wait, are being filtered, and one is in the hands of either side.
    if (!on_device)
      on_device = vidconv::make_device_pictures(
          device, *video.format, video.width, video.height,
          static_cast<int>(vidconv::frames_that_wait) + run.job().slots(video) + 2);
    vidconv::DevicePictures::Taken taken = on_device->take(from, stream);
    push({vidconv::Frame(std::move(taken.frame), number, vidconv::Frame::Memory::device),
          [complete = std::move(taken.complete)] { complete->wait(); }},
         pts);
  }

  // Hands a frame on, with the properties of the video.
  void push(vidconv::PushedFrame pushed, std::int64_t pts) {
    AVFrame* const av = &pushed.frame.av();
    const AVRational tick_of_rate = av_inv_q(video.frame_rate);
    const auto time_of = [&](std::int64_t frame) {
      return av_rescale_q(frame, tick_of_rate, video.time_base);
    };
    av->pts = pts;
    if (video.frame_rate.num > 0)
      vidconv::set_frame_duration(*av, std::max<std::int64_t>(1, time_of(1)));
    av->sample_aspect_ratio = video.sample_aspect;
    av->color_range = video.range;
    av->color_primaries = video.primaries;
    av->color_trc = video.transfer;
    av->colorspace = video.matrix;
    // If nobody takes the frame any more, the run ended early.
    if (!frames->channel.push(std::move(pushed))) {
      run.join();
      run.conclude();
    }
    ++number;
    last = pts;
  }

  // Returns the next frame's time. Throws Error(usage).
  std::int64_t time_of_next(std::int64_t asked) const {
    std::int64_t pts = asked;
    if (asked == VIDCONV_NO_TIME) {
      if (video.frame_rate.num == 0)
        vidconv::refuse_argument("pts", "the video has no frame rate that would give a time");
      pts = av_rescale_q(number, av_inv_q(video.frame_rate), video.time_base);
    }
    if (number > 0 && pts <= last)
      vidconv::refuse_argument("pts", std::to_string(pts) + " is not later than " +
                                          std::to_string(last) + ", the frame's before");
    return pts;
  }

  void join_to(vidconv::JobOptions& options) {
    options.sink.interrupted = &flag.stop();
    options.sink.abandoned = &frames->abandoned;
    options.open_source = [this](const vidconv::SourceOptions& with) {
      pool = std::make_unique<vidconv::FramePool>(
          vidconv::aligned_layout(*video.format, video.width, video.height, with.memory.rows),
          with.memory);
      return vidconv::make_pushed_source(video, frames);
    };
    options.open_sink = [this](const vidconv::OutputPlan& plan, const vidconv::InputInfo& input) {
      auto sink = vidconv::open_sink(plan, input);
      was_opened = true;
      opened.set_value();
      return sink;
    };
  }

  const vidconv::VideoInfo video;
  vidconv::PlanesInMemory planes;
  const vidconv::Settings settings;
  vidconv::StopFlag flag;
  std::atomic<bool> stop = false;
  std::atomic<bool> was_opened = false;
  std::promise<void> opened;
  const std::shared_ptr<vidconv::PushedFrames> frames =
      std::make_shared<vidconv::PushedFrames>(vidconv::frames_that_wait);
  std::unique_ptr<vidconv::FramePool> pool;
  std::unique_ptr<vidconv::DevicePictures> on_device;  // null until a frame comes from a device
  std::int64_t number = 0, last = 0;  // number of frames so far; the last one's time
  bool finished = false;
  vidconv::JobRun run;  // last member, so that it ends before everything it uses
};

vidconv_status vidconv_writer_open(const vidconv_job* job, const vidconv_video* video,
                                   vidconv_writer** writer, vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_writer*& place = vidconv::place_for(writer, "writer");
    const vidconv_job& j = vidconv::needed(job, "job");
    place = new vidconv_writer(j, vidconv::understood(vidconv::taken(video, "video")));
  });
}

namespace {

using Planes = std::array<vidconv::PlaceOfPlane, AV_NUM_DATA_POINTERS>;

// Returns the planes that a writer is given.
Planes checked(const vidconv_writer& w, size_t planes, const void* const* data,
               const ptrdiff_t* strides) {
  if (w.finished) vidconv::refuse_argument("writer", "it is finished");
  w.planes.check_count(planes);
  vidconv::needed(data, "data");
  vidconv::needed(strides, "strides");
  Planes from;
  for (size_t p = 0; p < planes; ++p) {
    from[p] = {static_cast<std::byte*>(const_cast<void*>(data[p])), strides[p]};
    w.planes.check_plane(from[p], p, "data");
  }
  return from;
}

}  // namespace

vidconv_status vidconv_writer_write(vidconv_writer* writer, size_t planes, const void* const* data,
                                    const ptrdiff_t* strides, int64_t pts, vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_writer& w = vidconv::needed(writer, "writer");
    const Planes from = checked(w, planes, data, strides);
    w.write(from.data(), w.time_of_next(pts));
  });
}

vidconv_status vidconv_writer_write_on_device(vidconv_writer* writer, size_t planes,
                                              const void* const* data, const ptrdiff_t* strides,
                                              int64_t pts, void* stream, vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_writer& w = vidconv::needed(writer, "writer");
    const Planes from = checked(w, planes, data, strides);
    w.write_on_device(std::span(from).first(planes), static_cast<vidconv::CudaStream>(stream),
                      w.time_of_next(pts));
  });
}

vidconv_status vidconv_writer_finish(vidconv_writer* writer, vidconv_stats* stats,
                                     vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_writer& w = vidconv::needed(writer, "writer");
    if (stats) vidconv::check_size(stats->size, sizeof *stats, "stats");
    if (w.finished) vidconv::refuse_argument("writer", "it is finished");
    w.finished = true;
    w.frames->channel.close();
    w.run.join();
    if (stats) vidconv::give(stats, w.run.stats(), "stats");
    w.run.conclude();
  });
}

void vidconv_writer_cancel(vidconv_writer* writer) {
  if (writer) writer->cancel();
}

void vidconv_writer_free(vidconv_writer* writer) { delete writer; }
