// PushedSource: frames that a program hands over one by one.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "pipeline/base/channel.h"
#include "pipeline/source/source.h"

namespace vidconv {

// Where the frames wait that are handed over. Any thread; push(), close() and cancel() are the
// program's, who gives frames a number from 0, in order of time.
struct PushedFrames {
  explicit PushedFrames(std::size_t capacity) : channel(capacity) {}

  Channel<Frame> channel;
  // Set before the channel is cancelled: nothing is to come of it, and next() throws
  // Error(interrupted).
  std::atomic<bool> abandoned = false;
};

// The source of these frames, which are like `video` says. Ends when they are closed or cancelled.
std::unique_ptr<Source> make_pushed_source(const VideoInfo& video,
                                           std::shared_ptr<PushedFrames> frames);

}  // namespace vidconv
