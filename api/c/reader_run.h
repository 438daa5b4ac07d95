// ReaderRun decodes and filters ahead, from one frame of a video on, and hands the frames over.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "api/c/job.h"
#include "pipeline/av/convert/frame_converter.h"
#include "pipeline/sink/sink_handed.h"

namespace vidconv {

// A reader order says what is done to the input; read once, when the reader is opened.
struct ReaderOrder {
  Settings settings;          // without those of the output
  const PixelFormat* format;  // frames are converted to it; nullptr: they stay as they are
  std::optional<int> device;  // frames stay in the memory of that CUDA device
};

// Returns what the job's settings ask for. Throws Error(usage).
ReaderOrder reader_order(const vidconv_job& job, bool on_device);

// Where a run begins.
struct ReaderStart {
  std::int64_t number = 0;                // the first frame's in the video
  std::int64_t read_from = 0;             // the first one that is read of the input
  std::int64_t skipped = 0;               // frames that come out before it, and are left out
  std::optional<Interval> interval = {};  // the part of the input that is read; none: all of it
  Stretch wanted = {};                    // JobOptions::wanted
};

// Belongs to one thread, except for cancel().
class ReaderRun {
 public:
  // Opens the input and begins. `stop` ends it early when it becomes true; it outlives the run.
  // `see` hears how the input is read. Throws what opening throws.
  ReaderRun(const ReaderOrder& order, const JobCallbacks& callbacks, std::atomic<bool>& stop,
            const ReaderStart& start = {},
            const std::function<void(const SourceOptions&)>& see = {});
  ~ReaderRun() { cancel(); }
  ReaderRun(const ReaderRun&) = delete;
  ReaderRun& operator=(const ReaderRun&) = delete;

  // Returns the description of the frames that come out.
  const VideoInfo& video() const { return video_; }
  // Returns how far results depend on frames around theirs.
  FrameReach reach() const { return run_.job().works().at(0).reach(); }
  // Blocks for the next frame. Returns none at the end; throws what ended it otherwise.
  std::optional<Frame> next();
  // Makes next() return. Thread-safe.
  void cancel() { frames_->cancel(); }

 private:
  std::optional<Frame> change(Frame frame);

  const std::int64_t number_;
  std::int64_t skipped_, taken_ = 0;
  const std::shared_ptr<HandedFrames> frames_;
  std::optional<FrameConverter> converter_;
  VideoInfo video_;
  JobRun run_;  // last member, so that it ends before everything it uses
};

}  // namespace vidconv
