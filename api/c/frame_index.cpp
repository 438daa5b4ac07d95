#include "api/c/frame_index.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "pipeline/base/url.h"
#include "pipeline/source/source.h"

namespace vidconv {

void check_lasts(const std::string& input, const SourceOptions& from) {
  struct stat status;
  const bool is_stream = !is_url(input) && !input.starts_with("pattern:") &&
                         stat(local_path(input).c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  if (input == "-" || is_stream || is_live(input, from))
    throw Error(Fault::usage, "cannot find frames by their number in", input,
                "it can be read once, from beginning to end",
                "read its frames one after the other");
}

FrameIndex::FrameIndex(const ReaderOrder& order, const SourceOptions& from, const FrameReach& reach,
                       std::atomic<bool>& stop)
    : order_(order), from_(from), reach_(reach), stop_(stop) {
  check_lasts(order_.settings.input, from_);
  if (!survey()) decode_all();
}

// Returns whether the input tells which frames come out. Frames that filters leave out are only
// known when they have been.
bool FrameIndex::survey() {
  SourceOptions options = from_;
  options.frames.reset();
  options.files = nullptr;
  options.notify = nullptr;
  options.nvdec.reset();
  const std::unique_ptr<Source> source = open_source(order_.settings.input, options);
  video_ = source->video();
  const bool has_packets = source->container().get();
  if (reach_.every > 1) return false;
  if (has_packets) {
    const auto see = [&](const AVPacket& packet, std::int64_t shown) {
      if (packet.flags & AV_PKT_FLAG_KEY) keys_.push_back(shown);
    };
    if (!source->survey(see) || !source->times()) return false;
    times_ = *source->times();
    std::ranges::sort(keys_);
    by_time_ = !order_.settings.compare;  // pictures in turns are counted from the first
  } else {
    if (!video_.frames_are_exact || !source->takes_order()) return false;
    steady_ = *video_.frames;
    if (from_.frames) steady_ = std::min(*steady_, *from_.frames);
    return true;
  }
  if (from_.frames && *from_.frames < count())
    times_.resize(static_cast<std::size_t>(*from_.frames));
  return true;
}

bool FrameIndex::decode_all() {
  if (decoded_) return false;
  decoded_ = true;
  by_time_ = false;
  steady_.reset();
  times_.clear();
  keys_.clear();
  ReaderOrder unconverted = order_;
  unconverted.format = nullptr;
  ReaderRun run(unconverted, {}, stop_);
  try {
    while (const std::optional<Frame> frame = run.next()) times_.push_back(frame->av().pts);
  } catch (const Error& error) {
    // A caller that reads that far will hear of damage.
    if (error.fault() != Fault::damaged) throw;
  }
  return true;
}

std::int64_t FrameIndex::shown_at(std::int64_t pts) const {
  if (steady_) return std::clamp<std::int64_t>(pts, -1, *steady_ - 1);
  return std::ranges::upper_bound(times_, pts) - times_.begin() - 1;
}

ReaderStart FrameIndex::start_at(std::int64_t number) const {
  if (!by_time_ || number == 0) return {.number = number, .skipped = number};
  // One frame more than results depend on: means are carried from frame to frame.
  const std::int64_t around = reach_.none() ? 0 : reach_.before + 1;
  const std::int64_t first = std::max<std::int64_t>(0, number - around);
  Interval interval{.begin = time_of(first), .first = first == 0, .video = video_};
  std::optional<std::int64_t>& before = interval.video.clock.frames_before;
  if (before) *before += first;
  return {.number = number,
          .read_from = first,
          .interval = interval,
          .wanted = {.begin = time_of(number)}};
}

bool FrameIndex::goes_on(std::int64_t at, std::int64_t number) const {
  if (number < at) return false;
  if (!by_time_ || number == at) return true;
  const auto key = std::ranges::upper_bound(keys_, time_of(number));
  return key == keys_.begin() || *std::prev(key) <= time_of(at);
}

}  // namespace vidconv
