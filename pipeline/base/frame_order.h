// FrameOrder: tells a source which frame to read next, where its consumer wants an order of its
// own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace vidconv {

// Frames are counted from the first one asked for. next() and end_at() belong to one thread.
class FrameOrder {
 public:
  virtual ~FrameOrder() = default;

  // Returns the number of the next frame to read; each comes once. Blocks until one is wanted;
  // returns none when no more are.
  virtual std::optional<std::int64_t> next() = 0;
  // Tells that the input ends there: it has no frame with this number, nor any after it.
  virtual void end_at(std::int64_t number) = 0;
  // Makes next() return none, now and from now on. Thread-safe.
  virtual void cancel() = 0;

  // A range of frames that are wanted in order, in turns with frames of other ranges.
  struct Stretch {
    std::int64_t begin = 0, end = 0;  // by number; the end is no part of it
  };
  // The one that the frame belongs to, as far as is known, or the next one where that is not
  // wanted; none behind the last frame. Any thread.
  virtual std::optional<Stretch> stretch_of(std::int64_t number) = 0;
  // Makes next() ask whether frames of a range are ready, by its first one, before it begins the
  // range. A range that is not ready is begun only where no frame of the others can be read. Call
  // it before next().
  virtual void begin_when(std::function<bool(std::int64_t first)> is_ready) = 0;
  // A stretch is known to be whole, as its packets promised, only some time after its last frame,
  // when judged() is called. Before next().
  virtual void judge_later() {}
  virtual void judged(const Stretch&) {}
  // Returns from how many ranges frames are wanted in turns, at most.
  virtual int at_once() const = 0;
};

}  // namespace vidconv
