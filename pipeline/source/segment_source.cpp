#include "pipeline/source/segment_source.h"

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include "pipeline/av/frame_layout.h"
#include "pipeline/demux/stream_info.h"
#include "pipeline/platform/usable_threads.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

// Seconds to go through the packets of an input: some gigabytes in memory.
constexpr double longest_survey = 3;
// Most seconds between key frames: each stretch is decoded from the key frame before it on.
constexpr int longest_gap = 10;
// Reading costs something where the input is not much smaller than its frames.
constexpr std::int64_t least_compression = 8;
// A reader is opened, and has its first frames, while so many frames of another are still to come,
// for each stretch that is read at once: all of them may need a reader at the same time.
constexpr std::int64_t frames_to_open = 16;
// Readers that are opened at once on a device: it begins one session after the other, and the first
// would have to wait for the last.
constexpr int opened_on_device = 2;

bool is_small(const Survey& survey, const VideoInfo& video) {
  const auto frame =
      static_cast<std::int64_t>(packed_bytes(*video.format, video.width, video.height));
  return survey.bytes / std::ssize(survey.times) < frame / least_compression;
}

}  // namespace

std::shared_ptr<const std::vector<std::int64_t>> times_for_stretches(
    const std::string& input, const SourceOptions& options, const Source& source,
    const AVFormatContext& container, std::int64_t first, const Source::SeePacket& see) {
  SourceOptions quiet = options;
  quiet.video_only = true;
  quiet.notify = nullptr;
  quiet.files = nullptr;
  // A pass that ends earlier has to know when packets are decoded, which takes pictures to tell.
  if (!options.duration) quiet.known = std::make_shared<const StreamInfo>(container);
  Survey survey =
      survey_packets(input, quiet, source, first,
                     see ? std::numeric_limits<double>::infinity() : longest_survey, see);
  const AVRational time_base = source.video().time_base;
  if (!survey.exact || std::ssize(survey.times) < 2) return nullptr;
  if (!see && (av_compare_ts(survey.longest_gap, time_base, longest_gap, {1, 1}) > 0 ||
               !is_small(survey, source.video())))
    return nullptr;
  return std::make_shared<const std::vector<std::int64_t>>(std::move(survey.times));
}

SegmentSource::SegmentSource(Options options)
    : options_(std::move(options)), known_(std::make_shared<const StreamInfo>(options_.container)) {
  options_.order->begin_when([this](std::int64_t first) {
    return std::ranges::any_of(readers_, [&](const auto& reader) {
      return reader->stretch().begin == first && reader->has_begun();
    });
  });
  options_.order->judge_later();
  if (options_.on_device && options_.source.nvdec)
    for (const int device : options_.source.nvdec->devices)
      device_memories_.push_back(std::make_shared<NvdecMemory>(device));
}

bool SegmentSource::is_stopped() const {
  if (options_.source.interrupted && *options_.source.interrupted) return true;
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

void SegmentSource::cancel() {
  options_.order->cancel();
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  for (const auto& reader : readers_) reader->cancel();
}

std::size_t SegmentSource::memory() const {
  const std::lock_guard lock(mutex_);
  return std::max(memory_, memory_now());
}

std::size_t SegmentSource::memory_now() const {
  std::size_t memory = 0;
  for (const auto& reader : readers_) memory += reader->memory();
  return memory;
}

// Packets of other streams come before the frames that are shown at their time, and a little
// earlier: containers have them late.
std::optional<Item> SegmentSource::next() {
  constexpr std::int64_t early = std::int64_t{10} * AV_TIME_BASE;
  if (!frame_) frame_ = next_frame();
  const bool alone = options_.container.nb_streams == 1;
  const std::int64_t until =
      !frame_ ? INT64_MAX
              : av_rescale_q(frame_->av().pts, options_.video.time_base, AV_TIME_BASE_Q) + early;
  if (!frame_ || (!alone && read_until_ < until)) {
    if (std::optional<Item> packet = options_.next_packet()) {
      note_time(*std::get<PacketPtr>(*packet));
      return packet;
    }
    if (is_stopped()) {
      finish_read(true);
      return std::nullopt;
    }
  }
  return std::exchange(frame_, std::nullopt);
}

void SegmentSource::note_time(const AVPacket& packet) {
  const std::int64_t time = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
  const AVStream& stream = *options_.container.streams[packet.stream_index];
  if (time != AV_NOPTS_VALUE)
    read_until_ = std::max(read_until_, av_rescale_q(time, stream.time_base, AV_TIME_BASE_Q));
}

void SegmentSource::take_account(PacketStatistics& video) const {
  PacketStatistics account = account_;
  if (frame_) --account.frames_handed_on, ++account.frames_unused;
  video = {.stream = video.stream, .type = video.type, .codec = video.codec, .filtered = true};
  add_counts(video, account);
}

std::optional<Frame> SegmentSource::next_frame() {
  if (started_ == 0) read_ahead();
  const std::optional<std::int64_t> number = options_.order->next();
  if (number && !is_stopped()) {
    SegmentReader& reader = reader_of(*number);
    std::optional<Frame> frame = reader.next();
    if (frame && (frame->number() != *number || frame->on_device() != options_.on_device ||
                  frame->av().pts != (*options_.times)[static_cast<std::size_t>(*number)]))
      fail(*number);
    if (frame) {
      look_after(reader);
      return frame;
    }
    if (!is_stopped()) fail(*number);
  }
  finish_read(true);
  return std::nullopt;
}

// A frame changes nothing for the other stretches, but near the end of its own.
void SegmentSource::look_after(const SegmentReader& reader) {
  const std::int64_t left = reader.left();
  if (left == 0) ++emptied_;
  if (emptied_ > 0) finish_read(false);  // `reader` may be gone then
  read_ahead();
}

// Stretches are begun in their order, and as many are under way as are wanted in turns: one that
// has given nearly all of its frames is followed by the next.
void SegmentSource::read_ahead() {
  const int at_once = options_.order->at_once();
  const int most_opened = options_.on_device ? std::min(opened_on_device, at_once) : at_once;
  for (;;) {
    const auto busy = std::ranges::count_if(
        readers_, [&](const auto& reader) { return reader->left() > frames_to_open * at_once; });
    const auto opened =
        std::ranges::count_if(readers_, [](const auto& reader) { return !reader->has_begun(); });
    if (busy >= at_once || opened >= most_opened ||
        std::ssize(readers_) >= std::int64_t{2} * at_once)
      return;
    const auto next = options_.order->stretch_of(begun_);
    if (!next) return;
    start(*next);
  }
}

SegmentReader& SegmentSource::reader_of(std::int64_t number) {
  for (;;) {
    const auto found =
        std::ranges::find_if(readers_, [&](const auto& reader) { return reader->gives(number); });
    if (found != readers_.end()) return **found;
    const auto next = options_.order->stretch_of(begun_);
    if (!next || next->begin > number)
      throw Error(Fault::internal, "frames are not wanted in the order of their stretches", "", "");
    start(*next);
  }
}

void SegmentSource::start(const FrameOrder::Stretch& stretch) {
  auto reader = std::make_unique<SegmentReader>(
      stretch, [this, stretch, number = started_] { return open(stretch, number); });
  ++started_;
  begun_ = stretch.end;
  const std::lock_guard lock(mutex_);
  readers_.push_back(std::move(reader));
  if (cancelled_) readers_.back()->cancel();
}

// Runs on the reader's thread.
std::unique_ptr<Source> SegmentSource::open(const FrameOrder::Stretch& stretch,
                                            std::size_t number) {
  const auto& times = *options_.times;
  SourceOptions source = options_.source;
  source.video_only = true;
  source.known = known_;
  source.files = nullptr;
  source.notify = [this](MessageKind kind, const std::string&) {
    // All else that is said of a picture was said of the first one.
    if (kind == MessageKind::picture_changes) changes_ = true;
  };
  source.interval =
      Interval{.begin = times[static_cast<std::size_t>(stretch.begin)],
               .end = stretch.end < std::ssize(times) ? times[static_cast<std::size_t>(stretch.end)]
                                                      : INT64_MAX,
               .first = stretch.begin == 0,
               .video = options_.video};
  const int all = source.threads > 0 ? source.threads : usable_threads();
  source.threads = std::max(1, all / options_.order->at_once());
  if (!options_.on_device) {
    source.nvdec.reset();
  } else if (source.nvdec) {
    const std::size_t device = number % device_memories_.size();
    source.nvdec = NvdecOptions{.devices = {device_memories_[device]->device},
                                .sessions = 1,
                                .frames = 4,
                                .memories = {device_memories_[device]}};
  }
  return options_.open(source);
}

bool SegmentSource::finish_read(bool all) {
  const auto is_due = [&](const auto& reader) {
    return all || (reader->left() == 0 && reader->has_ended());
  };
  if (std::ranges::none_of(readers_, is_due)) return false;
  Readers due;
  {
    const std::lock_guard lock(mutex_);
    memory_ = std::max(memory_, memory_now());  // a reader's memory grows until it is gone
    const auto first = std::stable_partition(readers_.begin(), readers_.end(),
                                             [&](const auto& reader) { return !is_due(reader); });
    std::move(first, readers_.end(), std::back_inserter(due));
    readers_.erase(first, readers_.end());
  }
  emptied_ = std::ranges::count_if(readers_, [](const auto& each) { return each->left() == 0; });
  const bool stopped = is_stopped();
  for (const auto& reader : due) {
    if (stopped || reader->left() > 0) reader->cancel();
    finish(*reader);
  }
  close(std::move(due));
  return true;
}

void SegmentSource::close(Readers readers) {
  try {
    closing_ = std::jthread([closed = std::move(readers)]() mutable { closed.clear(); });
  } catch (const std::system_error&) {
    // No thread could be started: they have been closed here.
  }
}

// A reader that is given up is not judged.
void SegmentSource::finish(SegmentReader& reader) {
  const bool given_up = is_stopped() || reader.left() > 0;
  std::exception_ptr failure;
  try {
    reader.finish();
  } catch (...) {
    failure = std::current_exception();
  }
  add_counts(account_, reader.account());
  if (given_up) return;
  failed_ = failure || changes_ || !reader.is_whole();
  if (failure) std::rethrow_exception(failure);
  if (failed_) fail(reader.stretch().end - 1);
  options_.order->judged(reader.stretch());
}

void SegmentSource::fail(std::int64_t number) {
  failed_ = true;
  Error error(Fault::input, "the input is not what its packets said", "",
              "frames are missing, damaged or not in their place");
  error.set_frame(number);
  throw error;
}

}  // namespace vidconv
