// Turner: pictures that are stored turned or mirrored, turned upright sample by sample.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "pipeline/av/convert.h"
#include "pipeline/av/frame.h"
#include "pipeline/av/pool.h"
#include "pipeline/av/video.h"

namespace vidconv {

// The description of a video whose samples are turned as `video.shown` says.
//
// Each component is turned alone, so that every sample is there once. Where rows become columns,
// horizontal and vertical subsampling trade places: 4:2:2 becomes 4:4:0. Where there is no such
// format, 4:4:4 is made first.
VideoInfo turned(const VideoInfo& video);

// Words for how turning changes more than the place of samples; empty where it does not.
std::string changed_by_turning(const VideoInfo& video);
// Words for the loss that comes of it; empty where there is none.
std::string lost_by_turning(const VideoInfo& video);

// For frames of one video in the host's memory. One thread.
class Turner {
 public:
  Turner(const VideoInfo& video, const FrameMemory& memory);

  Frame turn(const Frame& frame);
  std::size_t memory() const;

 private:
  Frame turn_samples(const Frame& frame);

  const VideoInfo from_, to_;
  std::optional<Converter> converter_;  // to 4:4:4
  FramePool pool_;
};

}  // namespace vidconv
