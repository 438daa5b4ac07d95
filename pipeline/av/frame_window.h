// The frames around a frame, for filters over time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace vidconv {

class Frame;

// Consecutive frames of a video, as they came out of its source.
struct FrameWindow {
  std::int64_t first = 0;  // the number of frames[0] in the video
  std::vector<std::shared_ptr<const Frame>> frames;
  std::int64_t result = 0;  // how many results come before this window's
  std::optional<std::int64_t>
      count;  // how many frames the video has, where the window reaches its end
};

// The frames that the taps of one filter are on, in order; none where the border has none.
struct FrameTaps {
  struct Tap {
    std::int64_t number = -1;  // among the frames that the filter gets
    std::shared_ptr<const Frame> frame;
  };
  std::vector<Tap> taps;
  Tap before;  // the frame before the first tap's, if it is at hand
};

// How far results depend on frames around theirs.
struct FrameReach {
  std::int64_t before = 0, after = 0;  // frames
  // Result m is that of frame m * every + phase.
  std::int64_t every = 1, phase = 0;

  bool none() const { return before == 0 && after == 0 && every == 1; }
  bool operator==(const FrameReach&) const = default;
};

}  // namespace vidconv
