// vidconv_reader and vidconv_frame give filtered frames to the caller.
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "api/c/call.h"
#include "api/c/frame_index.h"
#include "api/c/frame_words.h"
#include "api/c/job.h"
#include "api/c/reader_run.h"
#include "pipeline/filter/caller_frames.h"
#include "pipeline/platform/usable_threads.h"

namespace vidconv {

// Frames of a device that a program has let go of, but that its streams may still read, are at most
// as many: more would take memory as long as the program is ahead of the device.
constexpr std::size_t most_in_use = 8;

// The device that a reader's frames lie on, and those of them that are still in use.
struct FramesOfDevice {
  const int device;
  FramesInUse in_use;
};

}  // namespace vidconv

struct vidconv_frame {
  vidconv::Frame frame;
  std::shared_ptr<const vidconv::VideoInfo> video;
  std::shared_ptr<vidconv::FramesOfDevice> on_device;  // null: it is in the host's memory
  std::mutex mutex;                                    // guards marks
  vidconv::FramesInUse::Marks marks = {};
};

struct vidconv_reader {
  vidconv_reader(const vidconv_job& job, bool on_device)
      : order(vidconv::reader_order(job, on_device)),
        callbacks(job.callbacks),
        flag(job.opening, job.stop),
        run(std::make_unique<vidconv::ReaderRun>(
            order, callbacks, flag.stop(), vidconv::ReaderStart{},
            [this](const vidconv::SourceOptions& options) { from = options; })),
        video(std::make_shared<const vidconv::VideoInfo>(run->video())),
        on_device(on_device ? new vidconv::FramesOfDevice{*order.device, {}} : nullptr) {
    flag.is_open();
    order.settings.audit_file.clear();  // later runs read the same frames again
  }
  ~vidconv_reader() { cancel(); }

  void cancel() {
    flag.stop() = true;
    const std::lock_guard lock(mutex);
    if (run) run->cancel();
  }

  void check_seek() const { vidconv::check_lasts(order.settings.input, from); }

  const vidconv::FrameIndex& frames() {
    if (!index) {
      from.interrupted = &flag.stop();
      from.files = nullptr;
      index.emplace(order, from, run_or_throw().reach(), flag.stop());
    }
    return *index;
  }

  std::optional<vidconv::Frame> next() {
    if (on_device) on_device->in_use.reduce(vidconv::most_in_use);
    for (;;) {
      std::optional<vidconv::Frame> frame = next_of_run();
      if (frame || !expected) return frame;
      // The input is not what its packets say.
      if (!index->decode_all()) lose_place();
      begin_at(*expected);
    }
  }

  void seek(std::int64_t number) {
    const vidconv::FrameIndex& known = frames();
    if (number < 0 || number >= known.count())
      vidconv::refuse_argument(
          "number", std::to_string(number) + " of " + std::to_string(known.count()) + " frames");
    if (run && !ended && known.goes_on(at, number))
      while (at < number && next_of_run()) {
      }
    if (at != number || !run || ended) begin_at(number);
  }

 private:
  vidconv::ReaderRun& run_or_throw() {
    if (!run) lose_place();
    return *run;
  }
  [[noreturn]] void lose_place() {
    if (flag.stop())
      throw vidconv::Error(vidconv::MessageKind::interrupted, "the reader was cancelled", "",
                           "no more frames come");
    throw vidconv::Error(vidconv::Fault::input, "cannot find the frame again", "",
                         "the input has changed", "open it anew");
  }

  // Returns the next frame of the run; none at the end, and if it is not the one that is expected.
  std::optional<vidconv::Frame> next_of_run() {
    std::optional<vidconv::Frame> frame;
    try {
      frame = run_or_throw().next();
    } catch (...) {
      ended = true;
      // A failure of a run that began in the middle says nothing yet about one that does not.
      if (!expected || flag.stop() || !index->reads_in_the_middle()) throw;
      return std::nullopt;
    }
    if (!frame) ended = true;
    if (expected && (!frame || frame->av().pts != index->time_of(*expected))) return std::nullopt;
    expected.reset();
    if (frame) ++at;
    return frame;
  }

  void begin_at(std::int64_t number) {
    std::unique_ptr<vidconv::ReaderRun> old;
    {
      const std::lock_guard lock(mutex);
      old = std::move(run);
    }
    old.reset();  // waits for its threads
    auto begun = std::make_unique<vidconv::ReaderRun>(order, vidconv::JobCallbacks{}, flag.stop(),
                                                      index->start_at(number));
    const std::lock_guard lock(mutex);
    run = std::move(begun);
    at = number;
    ended = false;
    expected = number;
    if (flag.stop()) run->cancel();
  }

  vidconv::ReaderOrder order;
  vidconv::JobCallbacks callbacks;
  vidconv::SourceOptions from;
  vidconv::StopFlag flag;
  std::mutex mutex;  // guards `run` against cancel()
  std::unique_ptr<vidconv::ReaderRun> run;
  std::optional<vidconv::FrameIndex> index;  // none until somebody asks
  std::int64_t at = 0;                       // number of the next frame
  bool ended = false;                        // the run has no more frames
  std::optional<std::int64_t> expected;      // the frame that a run has to begin with

 public:
  std::shared_ptr<const vidconv::VideoInfo> video;
  std::shared_ptr<vidconv::FramesOfDevice> on_device;  // null: frames are in the host's memory
};

vidconv_status vidconv_reader_open(const vidconv_job* job, vidconv_reader** reader,
                                   vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_reader*& place = vidconv::place_for(reader, "reader");
    place = new vidconv_reader(vidconv::needed(job, "job"), false);
  });
}

vidconv_status vidconv_reader_open_on_device(const vidconv_job* job, vidconv_reader** reader,
                                             vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_reader*& place = vidconv::place_for(reader, "reader");
    place = new vidconv_reader(vidconv::needed(job, "job"), true);
  });
}

void vidconv_reader_free(vidconv_reader* reader) { delete reader; }

vidconv_status vidconv_reader_get_video(const vidconv_reader* reader, vidconv_video* video,
                                        vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv::give(video, vidconv::described(*vidconv::needed(reader, "reader").video), "video");
  });
}

vidconv_status vidconv_reader_next(vidconv_reader* reader, vidconv_frame** frame,
                                   vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_frame*& place = vidconv::place_for(frame, "frame");
    vidconv_reader& r = vidconv::needed(reader, "reader");
    if (std::optional<vidconv::Frame> next = r.next())
      place = new vidconv_frame{std::move(*next), r.video, r.on_device, {}};
  });
}

vidconv_status vidconv_reader_check_seek(const vidconv_reader* reader, vidconv_error* error) {
  return vidconv::call(error, [&] { vidconv::needed(reader, "reader").check_seek(); });
}

vidconv_status vidconv_reader_count(vidconv_reader* reader, int64_t* count, vidconv_error* error) {
  return vidconv::call(error, [&] {
    int64_t& place = vidconv::needed(count, "count");
    place = -1;
    place = vidconv::needed(reader, "reader").frames().count();
  });
}

vidconv_status vidconv_reader_find(vidconv_reader* reader, int64_t pts, int64_t* number,
                                   vidconv_error* error) {
  return vidconv::call(error, [&] {
    int64_t& place = vidconv::needed(number, "number");
    place = -1;
    place = vidconv::needed(reader, "reader").frames().shown_at(pts);
  });
}

vidconv_status vidconv_reader_seek(vidconv_reader* reader, int64_t number, vidconv_error* error) {
  return vidconv::call(error, [&] { vidconv::needed(reader, "reader").seek(number); });
}

void vidconv_reader_cancel(vidconv_reader* reader) {
  if (reader) reader->cancel();
}

void vidconv_frame_free(vidconv_frame* frame) {
  if (frame && frame->on_device)
    frame->on_device->in_use.add(std::move(frame->frame), std::move(frame->marks));
  delete frame;
}

vidconv_status vidconv_frame_used_on(vidconv_frame* frame, void* stream, vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_frame& f = vidconv::needed(frame, "frame");
    if (!f.on_device) vidconv::refuse_argument("frame", "it is in the host's memory");
    auto mark = vidconv::mark_stream(f.on_device->device, static_cast<vidconv::CudaStream>(stream));
    const std::lock_guard lock(f.mutex);
    f.marks.push_back(std::move(mark));
  });
}

vidconv_status vidconv_frame_get_info(const vidconv_frame* frame, vidconv_frame_info* info,
                                      vidconv_error* error) {
  return vidconv::call(error, [&] {
    const vidconv_frame& f = vidconv::needed(frame, "frame");
    vidconv_frame_info out = vidconv::described(f.frame);
    out.on_device = f.on_device ? 1 : 0;
    out.device = f.on_device ? f.on_device->device : 0;
    vidconv::give(info, out, "info");
  });
}

vidconv_status vidconv_frame_convert(const vidconv_frame* frame, const char* format,
                                     vidconv_frame** converted, vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_frame*& place = vidconv::place_for(converted, "converted");
    const vidconv_frame& from = vidconv::needed(frame, "frame");
    if (from.on_device)
      throw vidconv::Error(vidconv::Fault::usage, "cannot convert a frame on the device", "",
                           "frames are converted on the CPU",
                           "let frames come to the host's memory");
    vidconv::FrameConverter converter(*from.video,
                                      vidconv::format_named(&vidconv::needed(format, "format")),
                                      vidconv::usable_threads());
    place = new vidconv_frame{converter.convert(from.frame),
                              std::make_shared<const vidconv::VideoInfo>(converter.video()),
                              nullptr,
                              {}};
  });
}
