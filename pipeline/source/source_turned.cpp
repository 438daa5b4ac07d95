// Turns the pictures of another source upright.
#include <utility>

#include "pipeline/av/convert/turner.h"
#include "pipeline/source/source_kinds.h"

namespace vidconv {
namespace {

class TurnedSource final : public Source {
 public:
  TurnedSource(std::unique_ptr<Source> source, const std::vector<Orientation>& shown,
               const FrameMemory& memory)
      : source_(std::move(source)), videos_(source_->videos()) {
    for (std::size_t i = 0; i < videos_.size(); ++i) {
      VideoInfo& info = videos_[i].info;
      info.shown = shown.at(i);
      turners_.push_back(info.shown.is_upright() ? nullptr
                                                 : std::make_unique<Turner>(info, memory));
      info = turned(info);
    }
  }

  const VideoInfo& video() const override { return videos_[0].info; }
  UnreadContainer container() const override { return source_->container(); }
  int video_stream() const override { return source_->video_stream(); }
  bool has_manifest() const override { return source_->has_manifest(); }
  std::vector<InputVideo> videos() const override { return videos_; }
  bool takes_order() override { return source_->takes_order(); }
  std::shared_ptr<const std::vector<std::int64_t>> times() const override {
    return source_->times();
  }
  void set_order(std::shared_ptr<FrameOrder> order) override {
    source_->set_order(std::move(order));
  }
  bool has_lost_order() const override { return source_->has_lost_order(); }

  std::optional<Item> next() override {
    std::optional<Item> item = source_->next();
    Frame* frame = item ? std::get_if<Frame>(&*item) : nullptr;
    if (!frame) return item;
    if (Turner* turner = turners_.at(frame->video()).get()) return turner->turn(*frame);
    av_frame_remove_side_data(&frame->av(), AV_FRAME_DATA_DISPLAYMATRIX);
    return item;
  }
  void cancel() override { source_->cancel(); }

  Damage damage() const override { return source_->damage(); }
  std::vector<PacketStatistics> accounts() const override { return source_->accounts(); }
  std::optional<double> seconds() const override { return source_->seconds(); }
  std::size_t memory() const override {
    std::size_t bytes = source_->memory();
    for (const auto& turner : turners_) bytes += turner ? turner->memory() : 0;
    return bytes;
  }

 private:
  const std::unique_ptr<Source> source_;
  std::vector<InputVideo> videos_;
  std::vector<std::unique_ptr<Turner>> turners_;  // one per video; null: it is not turned
};

}  // namespace

std::unique_ptr<Source> turn_source(std::unique_ptr<Source> source,
                                    const std::vector<Orientation>& shown,
                                    const FrameMemory& memory) {
  return std::make_unique<TurnedSource>(std::move(source), shown, memory);
}

}  // namespace vidconv
