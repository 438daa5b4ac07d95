// SegmentSource gives the frames of a container in an order that is set from outside, between the
// packets of its other streams. Each stretch of frames has a reader of its own, several at once.
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

// Returns when each frame is shown, in order, if all of them can be found by their times and
// finding them costs little beside reading them; else nullptr. `source`: opened with these options,
// of `container`, and has given no frame yet; `first`: when its first frame is shown. Reads all of
// the input, for some seconds at most. With `see`, which gets each packet, it may take and cost any
// time. Throws Error(input).
std::shared_ptr<const std::vector<std::int64_t>> times_for_stretches(
    const std::string& input, const SourceOptions& options, const Source& source,
    const AVFormatContext& container, std::int64_t first, const Source::SeePacket& see);

// Not thread-safe but for members that say so.
class SegmentSource {
 public:
  struct Options {
    // Opens the video of the container alone, with these options.
    std::function<std::unique_ptr<Source>(const SourceOptions&)> open;
    SourceOptions source;  // the whole video's
    VideoInfo video;       // the whole video
    bool on_device = false;
    std::shared_ptr<const std::vector<std::int64_t>> times;  // all frames'
    std::shared_ptr<FrameOrder> order;
    const AVFormatContext& container;  // the whole video's; outlives this object
    // Reads the next packet of the other streams. None at their end, and if the whole was
    // interrupted or cancelled.
    std::function<std::optional<Item>()> next_packet;
  };
  explicit SegmentSource(Options options);

  // Returns the next frame in the order, or a packet that comes before it. None at the end, after
  // an interruption and after cancel(): no frames are read any more then. Throws what next_packet()
  // throws, and Error if a frame is not what was expected or if reading it has thrown: has_failed()
  // from then on.
  std::optional<Item> next();
  bool has_failed() const { return failed_; }
  // Makes next() return. Thread-safe.
  void cancel();

  // Puts the counts of all that was read for frames into the video's statistics, instead of what
  // was read of it beside the other streams. After the end of next().
  void take_account(PacketStatistics& video) const;
  // Returns the most memory that frames have taken at once. Thread-safe.
  std::size_t memory() const;

 private:
  using Readers = std::vector<std::unique_ptr<SegmentReader>>;

  std::optional<Frame> next_frame();
  void note_time(const AVPacket& packet);
  SegmentReader& reader_of(std::int64_t number);
  // Starts readers of the next stretches.
  void read_ahead();
  void start(const FrameOrder::Stretch& stretch);
  std::unique_ptr<Source> open(const FrameOrder::Stretch& stretch, std::size_t number);
  // Begins other readers, or ends them, where it is time, after a frame of `reader` was taken.
  void look_after(const SegmentReader& reader);
  // Ends readers that have nothing left, or all of them. Returns false if there are none.
  bool finish_read(bool all);
  void finish(SegmentReader& reader);
  // Closes readers without waiting: a device takes its time to end a session.
  void close(Readers readers);
  bool is_stopped() const;
  std::size_t memory_now() const;  // the caller holds mutex_
  [[noreturn]] void fail(std::int64_t number);

  const Options options_;
  const std::shared_ptr<const StreamInfo> known_;
  std::vector<std::shared_ptr<NvdecMemory>> device_memories_;
  std::atomic<bool> changes_ = false;  // pictures of another size or format have come
  mutable std::mutex mutex_;           // guards the next three against other threads
  Readers readers_;
  bool cancelled_ = false;
  std::size_t memory_ = 0;  // the most in use when a reader ended
  std::int64_t begun_ = 0;  // the end of the last stretch that has a reader
  std::size_t started_ = 0;
  std::ptrdiff_t emptied_ = 0;  // readers with nothing left that may still be at their end
  bool failed_ = false;
  PacketStatistics account_;             // only the counts are set
  std::optional<Frame> frame_;           // packets come before it
  std::int64_t read_until_ = INT64_MIN;  // microseconds that these have reached
  std::jthread closing_;
};

}  // namespace vidconv
