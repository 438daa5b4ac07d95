#include "pipeline/source/source_pushed.h"

#include <utility>

namespace vidconv {
namespace {

class PushedSource final : public Source {
 public:
  PushedSource(const VideoInfo& video, std::shared_ptr<PushedFrames> frames)
      : video_(video), frames_(std::move(frames)) {
    account_.type = "video";
    account_.filtered = true;
  }

  const VideoInfo& video() const override { return video_; }
  std::optional<Item> next() override {
    std::optional<PushedFrame> pushed = frames_->channel.pop();
    if (!pushed && frames_->abandoned)
      throw Error(MessageKind::interrupted, "the frames were given up", "", "");
    if (!pushed) return std::nullopt;
    if (pushed->complete) pushed->complete();
    ++account_.frames;
    ++account_.frames_handed_on;
    return Item(std::move(pushed->frame));
  }
  void cancel() override { frames_->channel.cancel(); }
  std::vector<PacketStatistics> accounts() const override { return {account_}; }
  std::size_t memory() const override { return 0; }  // frames are the program's

 private:
  const VideoInfo video_;
  const std::shared_ptr<PushedFrames> frames_;
  PacketStatistics account_;
};

}  // namespace

std::unique_ptr<Source> make_pushed_source(const VideoInfo& video,
                                           std::shared_ptr<PushedFrames> frames) {
  return std::make_unique<PushedSource>(video, std::move(frames));
}

}  // namespace vidconv
