// HeaderTrial: finds out which streams fit into a container together by writing its header.
#pragma once

#include <string>

#include "pipeline/av/video.h"

namespace vidconv {

class HeaderTrial {
 public:
  // `output` is the output's name: some muxers go by its ending.
  HeaderTrial(const AVOutputFormat& container, std::string output);

  // Returns whether `stream` fits beside the streams that are kept. `as` describes its coded data
  // where it is re-encoded.
  bool takes(const AVStream& stream, const AVCodecParameters* as = nullptr) const;
  void keep(const AVStream& stream, const AVCodecParameters* as = nullptr);
  // Adds an empty stream, for the caller to describe.
  AVStream& keep();

 private:
  AVStream& add(AVFormatContext& to, const AVStream& like, const AVCodecParameters* as) const;

  const AVOutputFormat& container_;
  const std::string output_;
  const OutputPtr kept_;
};

// Returns whether a container has no list of its codecs, but its header takes nothing that its
// players do not know: program streams take more, and RealMedia calls everything RealVideo.
bool is_known_by_header(const AVOutputFormat& container);
// Returns whether such a container takes video of a codec.
bool header_takes(const AVOutputFormat& container, AVCodecID codec, const VideoInfo& video);

}  // namespace vidconv
