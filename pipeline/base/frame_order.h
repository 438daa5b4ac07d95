// FrameOrder: which frame of an input is read next, where whoever takes them wants them in an order
// of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace vidconv {

// Frames are counted from the first that was asked for. next() and end_at() belong to one thread.
class FrameOrder {
 public:
  virtual ~FrameOrder() = default;

  // The number of the next frame to read; each comes once. Blocks until one is wanted; none: no
  // more are.
  virtual std::optional<std::int64_t> next() = 0;
  // The input ends there: it has no frame with this number, nor any after it.
  virtual void end_at(std::int64_t number) = 0;
  // Makes next() return none, now and from now on. Any thread.
  virtual void cancel() = 0;

  // Frames that are wanted one after the other, between those of other stretches.
  struct Stretch {
    std::int64_t begin = 0, end = 0;  // by number; the end is no part of it
  };
  // The one that the frame belongs to, as far as is known, or the next one where that is not
  // wanted; none behind the last frame. Any thread.
  virtual std::optional<Stretch> stretch_of(std::int64_t number) = 0;
  // From now on next() asks of a stretch whether frames of it are at hand, by its first one. Those
  // of which none is are begun only where no frame of the others can be read. Before next().
  virtual void begin_when(std::function<bool(std::int64_t first)> is_ready) = 0;
  // A stretch is known to be whole, as its packets promised, only some time after its last frame,
  // when judged() is called. Before next().
  virtual void judge_later() {}
  virtual void judged(const Stretch&) {}
  // Of so many stretches frames are wanted in turns, at most.
  virtual int at_once() const = 0;
};

}  // namespace vidconv
