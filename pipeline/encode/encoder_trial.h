// Finds out what an encoder accepts but does not keep, by decoding its first packet: bits of
// samples, chroma, transparency, colours, the shape of pixels. The loss of a lossy codec is noise
// around the original, and does not count.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/av/av.h"

namespace vidconv {

class EncoderTrial {
 public:
  // `first` is the first frame as `encoder` gets it; `coded` is its format, even if it lies on a
  // device, where its samples are not read. `aspect_beside`: the container says the shape of
  // pixels, whatever the encoder does.
  EncoderTrial(const AVFrame& first, AVPixelFormat coded, const AVCodecContext& encoder,
               bool aspect_beside);

  // Says, for people, "transparency, 10 bits a sample as 8"; empty where nothing is lost, or no
  // decoder can tell. `made` describes the stream, `packet` is its first.
  std::string lost_in(const AVCodecParameters& made, const AVPacket& packet) const;

 private:
  // Holds a thumbnail, and for each component the share of codes between its least and greatest
  // that its samples use.
  struct Look {
    std::vector<std::uint8_t> cells;  // R, G, B, A; empty where FFmpeg converts no such pictures
    std::array<double, 4> filled{};
  };
  static Look look_at(const AVFrame& frame);
  std::string lost_aspect(const AVFrame& decoded) const;
  std::string lost_values(const Look& made, const AVPixFmtDescriptor& format) const;

  const AVPixelFormat coded_;
  const AVColorRange range_;
  const AVColorSpace matrix_;
  const AVRational aspect_;  // 0 where the container says it
  Look look_;
};

}  // namespace vidconv
