#include "pipeline/sink/sink_kinds.h"

namespace vidconv {
namespace {

class RawSink final : public Sink {
 public:
  RawSink(const OutputPlan& plan, const VideoInfo& video)
      : output_(plan.output, plan.options), format_(video.format->name) {}

  void write(Frame frame) override {
    output_.writer().write_picture(frame);
    ++frames_;
  }
  void cancel() override { output_.cancel(); }
  void finish() override { output_.finish(); }
  std::int64_t frames() const override { return frames_; }
  std::int64_t bytes() const override { return output_.bytes(); }
  std::string description() const override { return "bare frames, " + format_; }

 private:
  ByteOutput output_;
  const std::string format_;
  std::int64_t frames_ = 0;
};

}  // namespace

std::unique_ptr<Sink> open_raw_sink(const OutputPlan& plan, const InputInfo& input) {
  return std::make_unique<RawSink>(plan, input.videos.at(0).info);
}

}  // namespace vidconv
