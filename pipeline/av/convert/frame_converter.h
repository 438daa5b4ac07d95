// FrameConverter brings a video's frames into a format that people compute with.
#pragma once

#include <optional>

#include "pipeline/av/convert/colour_converter.h"
#include "pipeline/av/convert/convert.h"
#include "pipeline/av/frame.h"
#include "pipeline/av/pool.h"
#include "pipeline/av/video.h"

namespace vidconv {

// Converts by the video's own matrix, range and place of chroma; what the video does not say is as
// players take it. Red, green, blue and grey come in full range: black is 0, white the largest code
// or 1. Primaries and the transfer function stay as they are.
class FrameConverter {
 public:
  // `threads`: at least 1. Throws Error(usage) where there is no way from the video's frames to the
  // format.
  FrameConverter(const VideoInfo& video, const PixelFormat& to, int threads);

  // Describes the frames that come out.
  const VideoInfo& video() const { return to_; }

  // Returns the frame with its number and times. It shares its memory with `from` where nothing is
  // to be converted. Throws Error(usage) for a frame with a matrix of its own that has no way to
  // the format, Error(internal).
  Frame convert(const Frame& from);

 private:
  FramePtr in_colours(const Frame& from);
  FramePtr by_swscale(const Frame& from);

  const VideoInfo from_;
  VideoInfo to_;
  bool as_they_are_ = false;
  std::optional<ColourConverter> colours_;  // to red, green and blue, or grey
  std::optional<FramePool> pool_;           // for these
  std::optional<Converter> converter_;      // to all other formats
};

}  // namespace vidconv
