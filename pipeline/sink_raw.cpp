#include "pipeline/sink_kinds.h"

namespace vidconv {
namespace {

class RawSink final : public Sink {
 public:
  RawSink(const std::string& output, const SinkOptions& options, const Source& source)
      : output_(output, options), format_(source.video().format->name) {}

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

std::unique_ptr<Sink> open_raw_sink(const std::string& output, const SinkOptions& options,
                                    const Source& source) {
  return std::make_unique<RawSink>(output, options, source);
}

}  // namespace vidconv
