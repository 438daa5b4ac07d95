#include "pipeline/sink/sink_handed.h"

#include <cstdint>
#include <utility>

namespace vidconv {
namespace {

class HandingSink final : public Sink {
 public:
  explicit HandingSink(std::shared_ptr<HandedFrames> frames) : frames_(std::move(frames)) {}

  void write(Frame frame) override {
    if (!frames_->push(std::move(frame)))
      throw Error(MessageKind::interrupted, "nobody takes the frames", "", "they were cancelled");
    ++count_;
  }
  // Frames that are queued already can still be taken.
  void cancel() override { frames_->close(); }
  void finish() override { frames_->close(); }
  std::int64_t frames() const override { return count_; }
  std::string description() const override { return "frames for a program"; }

 private:
  const std::shared_ptr<HandedFrames> frames_;
  std::int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<Sink> make_handing_sink(std::shared_ptr<HandedFrames> frames) {
  return std::make_unique<HandingSink>(std::move(frames));
}

}  // namespace vidconv
