// Finds out what an encoder has taken and does not keep, as the decoder of its first packet shows
// it: bits of samples, chroma, transparency, colours. What is lost by being lossy is noise around
// what was there, and is not meant.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/av/av.h"

namespace vidconv {

class EncoderTrial {
 public:
  // The first frame, as `encoder` gets it. `coded`: its format, also where it lies on a device and
  // its samples are not looked at.
  EncoderTrial(const AVFrame& first, AVPixelFormat coded, const AVCodecContext& encoder);

  // For people, "transparency, 10 bits a sample as 8"; empty where nothing is lost, and where there
  // is no decoder that tells. `made` describes the stream, `packet` is its first.
  std::string lost_in(const AVCodecParameters& made, const AVPacket& packet) const;

 private:
  // What it looks like from afar, and how much of the codes between the least and the greatest its
  // samples have, of each component.
  struct Look {
    std::vector<std::uint8_t> cells;  // R, G, B, A; empty where FFmpeg converts no such pictures
    std::array<double, 4> filled{};
  };
  static Look look_at(const AVFrame& frame);
  std::string lost_values(const Look& made, const AVPixFmtDescriptor& format) const;

  const AVPixelFormat coded_;
  const AVColorRange range_;
  const AVColorSpace matrix_;
  Look look_;
};

}  // namespace vidconv
