// PushedSource gives frames that a program hands over one by one.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

#include "pipeline/base/channel.h"
#include "pipeline/source/source.h"

namespace vidconv {

struct PushedFrame {
  Frame frame;
  // Blocks until the frame is complete, and throws Error(device) where it never is; empty: it is.
  std::function<void()> complete = {};
};

// Holds the frames that are handed over. Thread-safe; push(), close() and cancel() are for the
// program, which numbers frames from 0, in order of time.
struct PushedFrames {
  explicit PushedFrames(std::size_t capacity) : channel(capacity) {}

  Channel<PushedFrame> channel;
  // Is set before the channel is cancelled: nothing is to come of it, and next() throws
  // Error(interrupted).
  std::atomic<bool> abandoned = false;
};

// Makes the source of these frames, which are as `video` says. It ends when they are closed or
// cancelled.
std::unique_ptr<Source> make_pushed_source(const VideoInfo& video,
                                           std::shared_ptr<PushedFrames> frames);

}  // namespace vidconv
