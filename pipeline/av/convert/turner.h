// Turner: turns pictures that are stored turned or mirrored upright, sample by sample.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "pipeline/av/convert/convert.h"
#include "pipeline/av/frame.h"
#include "pipeline/av/pool.h"
#include "pipeline/av/video.h"

namespace vidconv {

// Describes a video whose samples are turned as `video.shown` says.
//
// Each component is turned alone, so no sample is lost. Where rows become columns, horizontal and
// vertical subsampling trade places: 4:2:2 becomes 4:4:0. Where there is no such format, the
// picture is converted to 4:4:4 first.
VideoInfo turned(const VideoInfo& video);

// Describes, for people, how turning changes the size and format; empty where it does not.
std::string changed_by_turning(const VideoInfo& video);
// Describes, for people, what turning loses; empty where it loses nothing.
std::string lost_by_turning(const VideoInfo& video);

// Turns frames of one video in host memory. Belongs to one thread.
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
