#include "pipeline/sink/sink_kinds.h"

namespace vidconv {
namespace {

class RawSink final : public BareSink {
 public:
  RawSink(const OutputPlan& plan, const VideoInfo& video)
      : BareSink(plan), format_(video.format->name) {}

  void write(Frame frame) override { write_picture(frame); }
  std::string description() const override { return "bare frames, " + format_; }

 private:
  const std::string format_;
};

}  // namespace

std::unique_ptr<Sink> open_raw_sink(const OutputPlan& plan, const InputInfo& input) {
  return std::make_unique<RawSink>(plan, input.videos.at(0).info);
}

}  // namespace vidconv
