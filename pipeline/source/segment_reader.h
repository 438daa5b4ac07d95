// SegmentReader reads one stretch of a container's frames ahead, on a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "pipeline/base/channel.h"
#include "pipeline/base/frame_order.h"
#include "pipeline/base/packet_statistics.h"
#include "pipeline/source/source.h"

namespace vidconv {

// Not thread-safe but for members that say so.
class SegmentReader {
 public:
  // Opens a source that gives the frames of the stretch and no others. Called on the reader's
  // thread.
  using Open = std::function<std::unique_ptr<Source>()>;

  SegmentReader(FrameOrder::Stretch stretch, Open open);
  ~SegmentReader();
  SegmentReader(const SegmentReader&) = delete;
  SegmentReader& operator=(const SegmentReader&) = delete;

  const FrameOrder::Stretch& stretch() const { return stretch_; }
  // Returns whether next() gives this frame.
  bool gives(std::int64_t number) const { return number == at_ && number < stretch_.end; }
  // Returns how many frames are still to be handed out.
  std::int64_t left() const { return stretch_.end - at_; }

  // Returns whether the source is open, and next() has a frame or knows that there is none.
  bool has_begun() const { return begun_; }
  // Blocks for the next frame, which has its number in the video. Returns none if there is none:
  // finish() knows why.
  std::optional<Frame> next();
  // Makes next() and the reading end. Thread-safe.
  void cancel();

  // Returns whether finish() would not block.
  bool has_ended() const { return ended_; }
  // Blocks until everything of the stretch has been read. Throws what the source has thrown.
  void finish();
  // Returns whether the input was neither damaged nor had more frames than the stretch. After
  // finish().
  bool is_whole() const { return !too_many_ && !damaged_; }
  // Returns the statistics of its video. After finish(), whatever that throws.
  const PacketStatistics& account() const { return account_; }
  // Returns the bytes of frames. Thread-safe.
  std::size_t memory() const;

 private:
  void work() noexcept;
  void read();

  const FrameOrder::Stretch stretch_;
  const Open open_;
  std::int64_t at_ = stretch_.begin;  // the next frame to be handed out
  // The decoder has frames of its own under way; this many more are decoded and wait.
  static constexpr std::size_t ahead = 2;
  Channel<Frame> frames_{ahead};
  mutable std::mutex mutex_;  // guards the next two
  std::unique_ptr<Source> source_;
  bool cancelled_ = false;
  std::exception_ptr failure_;
  bool too_many_ = false, damaged_ = false;
  PacketStatistics account_;
  std::atomic<bool> begun_ = false, ended_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace vidconv
