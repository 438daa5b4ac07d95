// Gives the frames of another source the frames around them, for filters over time.
#include "pipeline/source/source_windowed.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

namespace vidconv {
namespace {

// Returns how many results lie on frames before that one.
std::int64_t results_before(std::int64_t frame, const FrameReach& reach) {
  return std::max<std::int64_t>(0, frame - reach.phase + reach.every - 1) / reach.every;
}

// The frames of one video on their way.
class Windows {
 public:
  // `first`: the number of the first frame that comes.
  Windows(const FrameReach& reach, const Stretch& wanted, std::int64_t first)
      : reach_(reach),
        wanted_(wanted),
        begin_(first),
        first_result_(results_before(first, reach)),
        first_(first),
        here_(first_result_ * reach.every + reach.phase) {}

  void push(Frame frame) { frames_.push_back(std::make_shared<const Frame>(std::move(frame))); }
  void end() { count_ = first_ + std::ssize(frames_); }

  // Returns the next frame with its window, once that is whole.
  std::optional<Frame> take() {
    for (;;) {
      std::optional<Frame> frame = take_any();
      if (!frame || wanted_.holds(frame->av().pts)) return frame;
      ++unwanted_;
    }
  }

  // Returns whether some frames have no result of their own, and how many.
  bool leaves_out() const { return reach_.every > 1; }
  std::int64_t left_out() const {
    return first_ + std::ssize(frames_) - begin_ - (results_ - first_result_) + unwanted_;
  }

 private:
  std::optional<Frame> take_any() {
    const std::int64_t next = first_ + std::ssize(frames_);
    if (count_ ? here_ >= *count_ : here_ + reach_.after >= next) return std::nullopt;
    // One frame more than results depend on: means are carried from frame to frame.
    const std::int64_t from = std::max<std::int64_t>(0, here_ - reach_.before - 1);
    for (; first_ < from; ++first_) frames_.pop_front();
    auto window = std::make_shared<FrameWindow>();
    window->first = first_;
    const std::int64_t to = std::min(here_ + reach_.after + 1, next);
    window->frames.assign(frames_.begin(), frames_.begin() + (to - first_));
    window->result = results_++;
    window->count = count_;
    Frame frame = frames_[static_cast<std::size_t>(here_ - first_)]->share();
    if (reach_.every > 1) lengthen(frame);
    here_ += reach_.every;
    frame.set_window(std::move(window));
    return frame;
  }

  // It is shown until the next one that comes out.
  void lengthen(Frame& frame) const {
    const std::int64_t next = here_ + reach_.every - first_;
    const std::int64_t duration = frame_duration(frame.av());
    if (next < std::ssize(frames_))
      set_frame_duration(frame.av(),
                         frames_[static_cast<std::size_t>(next)]->av().pts - frame.av().pts);
    else
      set_frame_duration(frame.av(), duration * reach_.every);
  }

  const FrameReach reach_;
  const Stretch wanted_;
  const std::int64_t begin_, first_result_;  // the numbers of the first frame and the first result
  std::deque<std::shared_ptr<const Frame>> frames_;
  std::int64_t first_;  // the number of frames_[0]
  std::int64_t here_;   // the number of the next frame that comes out
  std::int64_t results_ = first_result_, unwanted_ = 0;
  std::optional<std::int64_t> count_;
};

class WindowedSource final : public Source {
 public:
  WindowedSource(std::unique_ptr<Source> source, const std::vector<FrameReach>& reaches,
                 Notify lose, const Stretch& wanted, std::int64_t first)
      : source_(std::move(source)), lose_(std::move(lose)), videos_(source_->videos()) {
    for (std::size_t i = 0; i < videos_.size(); ++i) {
      videos_[i].info = every_of(videos_[i].info, reaches.at(i));
      windows_.emplace_back(reaches[i], wanted, first);
    }
  }

  const VideoInfo& video() const override { return videos_[0].info; }
  UnreadContainer container() const override { return source_->container(); }
  int video_stream() const override { return source_->video_stream(); }
  bool has_manifest() const override { return source_->has_manifest(); }
  std::vector<InputVideo> videos() const override { return videos_; }
  bool has_lost_order() const override { return source_->has_lost_order(); }
  bool on_device() const override { return source_->on_device(); }

  std::optional<Item> next() override {
    for (;;) {
      for (Windows& windows : windows_) {
        std::optional<Frame> frame = windows.take();
        if (!frame) continue;
        frame->set_place(frame->video(), next_++);
        return frame;
      }
      if (ended_) return std::nullopt;
      std::optional<Item> item = source_->next();
      if (item && std::holds_alternative<PacketPtr>(*item)) return item;
      if (item) {
        Frame& frame = std::get<Frame>(*item);
        name_captions(frame);
        Windows& windows = windows_.at(frame.video());
        windows.push(std::move(frame));
        continue;
      }
      ended_ = true;
      for (Windows& windows : windows_) windows.end();
    }
  }
  void cancel() override { source_->cancel(); }

  Damage damage() const override { return source_->damage(); }
  std::vector<PacketStatistics> accounts() const override {
    std::vector<PacketStatistics> accounts = source_->accounts();
    for (std::size_t i = 0; i < videos_.size(); ++i)
      for (PacketStatistics& account : accounts)
        if (account.filtered && (videos_.size() == 1 || account.stream == videos_[i].stream)) {
          account.frames_between = windows_[i].left_out();
          account.frames_handed_on -= account.frames_between;
        }
    return accounts;
  }
  std::size_t memory() const override { return source_->memory(); }

 private:
  // Captions are spread over all frames: some of them are none.
  void name_captions(const Frame& frame) {
    if (captions_are_told_ || !windows_.at(frame.video()).leaves_out() ||
        !av_frame_get_side_data(&frame.av(), AV_FRAME_DATA_A53_CC))
      return;
    captions_are_told_ = true;
    notify(lose_, MessageKind::not_held,
           "`every=` leaves out frames, and the captions that are in them (ATSC A/53)");
  }

  const std::unique_ptr<Source> source_;
  const Notify lose_;
  bool captions_are_told_ = false;
  std::vector<InputVideo> videos_;
  std::vector<Windows> windows_;  // one per video
  std::int64_t next_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Source> give_windows(std::unique_ptr<Source> source,
                                     const std::vector<FrameReach>& reaches, const Notify& lose,
                                     const Stretch& wanted, std::int64_t first) {
  return std::make_unique<WindowedSource>(std::move(source), reaches, lose, wanted, first);
}

VideoInfo every_of(VideoInfo info, const FrameReach& reach) {
  if (reach.every == 1) return info;
  info.frame_rate = av_div_q(info.frame_rate, {static_cast<int>(reach.every), 1});
  if (info.frames) info.frames = results_before(*info.frames, reach);
  return info;
}

}  // namespace vidconv
