#include "pipeline/sink/sink_handed.h"

#include <cstdint>
#include <utility>

namespace vidconv {
namespace {

class HandingSink final : public Sink {
 public:
  HandingSink(std::shared_ptr<HandedFrames> frames, ChangeFrame change)
      : frames_(std::move(frames)), change_(std::move(change)) {}

  void write(Frame frame) override {
    std::optional<Frame> handed = change_ ? change_(std::move(frame)) : std::move(frame);
    if (handed && !frames_->push(*std::move(handed)))
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
  const ChangeFrame change_;
  std::int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<Sink> make_handing_sink(std::shared_ptr<HandedFrames> frames, ChangeFrame change) {
  return std::make_unique<HandingSink>(std::move(frames), std::move(change));
}

}  // namespace vidconv
