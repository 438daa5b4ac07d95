// vidconv_reader and vidconv_frame give filtered frames to the caller.
#include <memory>
#include <utility>

#include "api/c/call.h"
#include "api/c/frame_words.h"
#include "api/c/job.h"
#include "pipeline/sink/sink_handed.h"

namespace vidconv {
namespace {

constexpr std::size_t waiting_frames = 2;

Settings reading(const vidconv_job& job) {
  Settings settings = job.words.settings();
  if (settings.input.empty())
    throw Error(Fault::usage, "cannot open a reader", "", "`input` is not set", "set it");
  if (!settings.source.video)
    throw Error(Fault::usage, "cannot open a reader", "", "frames are those of one video",
                "set `video` to a number");
  want_kernel(settings);
  settings.sink = {};
  settings.measures = {};
  settings.target.reset();
  settings.output = "null:";
  return settings;
}

JobCallbacks without_progress(JobCallbacks callbacks) {
  callbacks.progress = nullptr;
  return callbacks;
}

}  // namespace
}  // namespace vidconv

struct vidconv_frame {
  vidconv::Frame frame;
};

struct vidconv_reader {
  explicit vidconv_reader(const vidconv_job& job)
      : flag(job.opening, job.stop),
        run(vidconv::reading(job), vidconv::without_progress(job.callbacks), flag.stop(),
            [this](vidconv::JobOptions& options) {
              options.open_sink = [this](const vidconv::OutputPlan&, const vidconv::InputInfo&) {
                return vidconv::make_handing_sink(frames);
              };
            }) {
    run.open();
    flag.is_open();
    video = run.job().source()->video();
    run.start([this] { frames->close(); });
  }
  ~vidconv_reader() { cancel(); }

  void cancel() {
    flag.stop() = true;
    frames->cancel();
  }

  vidconv::StopFlag flag;
  const std::shared_ptr<vidconv::HandedFrames> frames =
      std::make_shared<vidconv::HandedFrames>(vidconv::waiting_frames);
  vidconv::VideoInfo video;
  vidconv::JobRun run;  // last member, so that it ends before everything it uses
};

vidconv_status vidconv_reader_open(const vidconv_job* job, vidconv_reader** reader,
                                   vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_reader*& place = vidconv::place_for(reader, "reader");
    place = new vidconv_reader(vidconv::needed(job, "job"));
  });
}

void vidconv_reader_free(vidconv_reader* reader) { delete reader; }

vidconv_status vidconv_reader_get_video(const vidconv_reader* reader, vidconv_video* video,
                                        vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv::give(video, vidconv::described(vidconv::needed(reader, "reader").video), "video");
  });
}

vidconv_status vidconv_reader_next(vidconv_reader* reader, vidconv_frame** frame,
                                   vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_frame*& place = vidconv::place_for(frame, "frame");
    vidconv_reader& r = vidconv::needed(reader, "reader");
    if (std::optional<vidconv::Frame> next = r.frames->pop()) {
      place = new vidconv_frame{std::move(*next)};
      return;
    }
    r.run.join();
    r.run.conclude();
  });
}

void vidconv_reader_cancel(vidconv_reader* reader) {
  if (reader) reader->cancel();
}

void vidconv_frame_free(vidconv_frame* frame) { delete frame; }

vidconv_status vidconv_frame_get_info(const vidconv_frame* frame, vidconv_frame_info* info,
                                      vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv::give(info, vidconv::described(vidconv::needed(frame, "frame").frame), "info");
  });
}
