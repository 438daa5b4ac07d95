// SegmentSource: the frames of a container in an order of somebody's, between the packets of its
// other streams: each stretch of frames is read by a reader of its own, several at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/base/frame_order.h"
#include "pipeline/source/packet_survey.h"
#include "pipeline/source/segment_reader.h"
#include "pipeline/source/source.h"

namespace vidconv {

// When each frame is shown, in order, where all of them can be found by their times and finding
// them costs little beside reading them; else nullptr. `source`: what was opened so and has given
// no frame yet, of `container`, `first` when its first one is shown. Reads all of the input, for
// some seconds at most. Throws Error(input).
std::shared_ptr<const std::vector<std::int64_t>> times_for_stretches(
    const std::string& input, const SourceOptions& options, const Source& source,
    const AVFormatContext& container, std::int64_t first);

// All members but those that say otherwise belong to one thread.
class SegmentSource {
 public:
  struct Options {
    // Opens the video of the container alone, with these options.
    std::function<std::unique_ptr<Source>(const SourceOptions&)> open;
    SourceOptions source;  // of the whole
    VideoInfo video;       // of the whole
    bool on_device = false;
    std::shared_ptr<const std::vector<std::int64_t>> times;  // of all frames
    std::shared_ptr<FrameOrder> order;
    const AVFormatContext& container;  // of the whole; outlives this object
    // Reads the next packet of the other streams. None at their end, and where the whole was
    // interrupted or cancelled.
    std::function<std::optional<Item>()> next_packet;
  };
  explicit SegmentSource(Options options);

  // The next frame in the order, or a packet that comes before it. None at the end, after an
  // interruption and cancel(): no frames are read any more then. Throws what next_packet() throws;
  // Error where a frame is not what it was expected to be, or what reading it has thrown:
  // has_failed() from then on.
  std::optional<Item> next();
  bool has_failed() const { return failed_; }
  // Any thread.
  void cancel();

  // Puts the counts of all that was read for frames into the account of the video, instead of what
  // was read of it beside the other streams. After the end of next().
  void take_account(PacketStatistics& video) const;
  // The most there was for frames at once. Any thread.
  std::size_t memory() const;

 private:
  using Readers = std::vector<std::unique_ptr<SegmentReader>>;

  std::optional<Frame> next_frame();
  void note_time(const AVPacket& packet);
  SegmentReader& reader_of(std::int64_t number);
  // Starts readers of the stretches that are next.
  void read_ahead();
  void start(const FrameOrder::Stretch& stretch);
  std::unique_ptr<Source> open(const FrameOrder::Stretch& stretch, std::size_t number);
  // After a frame of it was taken: others are begun, or have their end seen to, where it is time.
  void look_after(const SegmentReader& reader);
  // Takes leave of readers that have nothing left, or of all of them. False where there are none.
  bool finish_read(bool all);
  void finish(SegmentReader& reader);
  // Without waiting: a device takes its time to end a session.
  void close(Readers readers);
  bool is_stopped() const;
  std::size_t memory_now() const;  // under the lock
  [[noreturn]] void fail(std::int64_t number);

  const Options options_;
  const std::shared_ptr<const StreamInfo> known_;
  std::vector<std::shared_ptr<NvdecMemory>> device_memories_;
  std::atomic<bool> changes_ = false;  // pictures of another size or format have come
  mutable std::mutex mutex_;           // of the next, where two threads look or this one changes it
  Readers readers_;
  bool cancelled_ = false;
  std::size_t memory_ = 0;  // the most there was when a reader went
  std::int64_t begun_ = 0;  // the end of the last stretch that has a reader
  std::size_t started_ = 0;
  std::ptrdiff_t emptied_ = 0;  // readers with nothing left that may still be at their end
  bool failed_ = false;
  PacketStatistics account_;             // counts alone
  std::optional<Frame> frame_;           // that packets come before
  std::int64_t read_until_ = INT64_MIN;  // microseconds: where these have come to
  std::jthread closing_;
};

}  // namespace vidconv
