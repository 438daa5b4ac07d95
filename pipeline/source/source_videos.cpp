// Reads several videos of one file: opens the file once for each, and puts the frames in order of
// time.
#include <algorithm>
#include <utility>

#include "pipeline/demux/stream_video.h"
#include "pipeline/source/source_kinds.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

// GCC 14 takes what std::exchange() puts in its place for uninitialized.
std::optional<Item> taken(std::optional<Item>& ahead) {
  std::optional<Item> item;
  item.swap(ahead);
  return item;
}

class Videos final : public Source {
 public:
  explicit Videos(std::vector<std::unique_ptr<Source>> sources) {
    for (auto& source : sources) lanes_.push_back({std::move(source), std::nullopt, false});
  }

  const VideoInfo& video() const override { return lanes_[0].source->video(); }
  UnreadContainer container() const override { return lanes_[0].source->container(); }
  int video_stream() const override { return lanes_[0].source->video_stream(); }
  bool has_manifest() const override { return lanes_[0].source->has_manifest(); }
  std::vector<InputVideo> videos() const override {
    std::vector<InputVideo> all;
    for (const Lane& lane : lanes_) all.push_back(lane.source->videos()[0]);
    return all;
  }

  std::optional<Item> next() override {
    Lane* first = nullptr;
    for (Lane& lane : lanes_) {
      look_ahead(lane);
      if (!lane.ahead) continue;
      if (std::holds_alternative<PacketPtr>(*lane.ahead)) return taken(lane.ahead);
      if (!first || shown_before(lane, *first)) first = &lane;
    }
    if (!first) return std::nullopt;
    Frame& frame = std::get<Frame>(*first->ahead);
    frame.set_place(static_cast<std::size_t>(first - lanes_.data()), count_++);
    return taken(first->ahead);
  }

  void cancel() override {
    for (const Lane& lane : lanes_) lane.source->cancel();
  }

  Damage damage() const override {
    Damage all;
    for (const Lane& lane : lanes_) {
      const Damage damage = lane.source->damage();
      all.packets += damage.packets;
      all.frames += damage.frames;
      all.errors += damage.errors;
      all.marked += damage.marked;
      if (all.first_error.empty()) all.first_error = damage.first_error;
      if (all.truncated.empty()) all.truncated = damage.truncated;
    }
    return all;
  }

  // Takes each video's statistics from the source that has decoded it.
  std::vector<PacketStatistics> accounts() const override {
    std::vector<PacketStatistics> all = lanes_[0].source->accounts();
    for (const Lane& lane : lanes_) {
      const auto stream = static_cast<std::size_t>(lane.source->video_stream());
      all.at(stream) = lane.source->accounts().at(stream);
    }
    for (const Lane& lane : lanes_) {
      if (!lane.ahead) continue;  // else the run was interrupted
      if (const PacketPtr* packet = std::get_if<PacketPtr>(&*lane.ahead)) {
        PacketStatistics& account = all.at(static_cast<std::size_t>((*packet)->stream_index));
        --account.handed_on, ++account.unused;
      } else {
        PacketStatistics& account = all.at(static_cast<std::size_t>(lane.source->video_stream()));
        --account.frames_handed_on, ++account.frames_unused;
      }
    }
    return all;
  }

  std::size_t memory() const override {
    std::size_t bytes = 0;
    for (const Lane& lane : lanes_) bytes += lane.source->memory();
    return bytes;
  }

 private:
  struct Lane {
    std::unique_ptr<Source> source;
    std::optional<Item> ahead;
    bool at_end;
  };

  // Takes packets from the first lane alone, but none of the videos that others decode.
  void look_ahead(Lane& lane) {
    while (!lane.ahead && !lane.at_end) {
      lane.ahead = lane.source->next();
      lane.at_end = !lane.ahead;
      if (!lane.ahead) return;
      const PacketPtr* packet = std::get_if<PacketPtr>(&*lane.ahead);
      if (packet && is_filtered((*packet)->stream_index)) lane.ahead.reset();
    }
  }

  bool is_filtered(int stream) const {
    return std::ranges::any_of(
        lanes_, [&](const Lane& lane) { return lane.source->video_stream() == stream; });
  }

  static bool shown_before(const Lane& a, const Lane& b) {
    const auto pts = [](const Lane& lane) { return std::get<Frame>(*lane.ahead).av().pts; };
    return av_compare_ts(pts(a), a.source->video().time_base, pts(b), b.source->video().time_base) <
           0;
  }

  std::vector<Lane> lanes_;
  std::int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<Source> open_videos(std::unique_ptr<Source> first, const std::string& input,
                                    const SourceOptions& options) {
  const std::size_t count = video_streams(*first->container().get()).size();
  if (input == "-")
    throw Error(Fault::input, "cannot filter all videos of", "standard input",
                "it is read once, and has " + std::to_string(count),
                "use a file, or choose one with `video`");
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(std::move(first));
  SourceOptions other = options;
  other.video_only = true;
  for (std::size_t i = 1; i < count; ++i) {
    other.video = static_cast<int>(i) + 1;
    sources.push_back(open_source(input, other));
  }
  return std::make_unique<Videos>(std::move(sources));
}

}  // namespace vidconv
