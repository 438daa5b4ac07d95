// Holds the parts of the table of sinks. For use inside the pipeline only.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "pipeline/av/pixel_aspect.h"
#include "pipeline/io/byte_io.h"
#include "pipeline/io/partial_file.h"
#include "pipeline/sink/lost_start.h"
#include "pipeline/sink/sink.h"

namespace vidconv {

std::unique_ptr<Sink> open_null_sink(const OutputPlan&, const InputInfo&);
std::unique_ptr<Sink> open_md5_sink(const OutputPlan&, const InputInfo&);
std::unique_ptr<Sink> open_raw_sink(const OutputPlan&, const InputInfo&);
std::unique_ptr<Sink> open_y4m_sink(const OutputPlan&, const InputInfo&);
std::unique_ptr<Sink> open_image_sink(const OutputPlan&, const InputInfo&);
std::unique_ptr<Sink> open_file_sink(const OutputPlan&, const InputInfo&);

void choose_for_images(OutputPlan& plan, std::span<const InputVideo> videos);
void choose_for_file(OutputPlan& plan, std::span<const InputVideo> videos);

PartialFile::Options file_options(const SinkOptions& options);

// Writes bytes to standard output ("-"), to an address, or to a file that appears when it is
// complete.
class ByteOutput {
 public:
  // Throws Error(output), also for a terminal.
  ByteOutput(const std::string& output, const SinkOptions& options);

  ByteWriter& writer() { return *writer_; }
  // Returns whether it can be sought in and read: whether it is a file of its own.
  bool seeks() { return file_ && writer_->seek(0, SEEK_CUR) >= 0; }
  void cancel() { writer_->cancel(); }
  std::int64_t bytes() const { return writer_->bytes(); }
  // Blocks until all is on the disk and has its name. Throws as check_wanted() too.
  void finish();

 private:
  const std::atomic<bool>* const abandoned_;
  std::optional<PartialFile> file_;
  std::optional<ByteWriter> writer_;
};

// Writes bare frames, one after the other.
class BareSink : public Sink {
 public:
  BareSink(const OutputPlan& plan, const VideoInfo& video)
      : output_(plan.output, plan.options),
        kind_(plan.kind->name),
        lose_(plan.options.loss()),
        new_aspect_(video.sample_aspect, std::string(plan.kind->name), lose_),
        tick_(plan.options.copy_times ? av_q2d(video.time_base) : 0) {}

  void cancel() override { output_.cancel(); }
  void finish() override { output_.finish(); }
  std::int64_t frames() const override { return frames_; }
  std::int64_t bytes() const override { return output_.bytes(); }

 protected:
  ByteWriter& writer() { return output_.writer(); }
  void write_picture(const Frame& frame) {
    name_beside(frame);
    new_aspect_.check(frame);
    if (frames_ == 0) name_lost_start(kind_, static_cast<double>(frame.av().pts) * tick_, lose_);
    writer().write_picture(frame);
    ++frames_;
  }

 private:
  // Reports what lies beside samples.
  void name_beside(const Frame& frame);

  ByteOutput output_;
  const std::string_view kind_;
  const Notify lose_;
  NewAspect new_aspect_;
  bool captions_are_told_ = false, profile_is_told_ = false;
  const double tick_;  // seconds; 0: the first frame's time does not count
  std::int64_t frames_ = 0;
};

}  // namespace vidconv
