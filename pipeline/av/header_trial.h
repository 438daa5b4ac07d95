// HeaderTrial: which streams go into a container together, found out by writing its header.
#pragma once

#include <string>

#include "pipeline/av/video.h"

namespace vidconv {

class HeaderTrial {
 public:
  // Some muxers go by the ending of the output's name.
  HeaderTrial(const AVOutputFormat& container, std::string output);

  // Whether `stream` goes there beside those that are kept; with `as` for what it holds, where it
  // is coded anew.
  bool takes(const AVStream& stream, const AVCodecParameters* as = nullptr) const;
  void keep(const AVStream& stream, const AVCodecParameters* as = nullptr);
  // A stream that is kept, to be described.
  AVStream& keep();

 private:
  AVStream& add(AVFormatContext& to, const AVStream& like, const AVCodecParameters* as) const;

  const AVOutputFormat& container_;
  const std::string output_;
  const OutputPtr kept_;
};

// Whether a container has no list of its codecs, but its header takes nothing that its players do
// not know: program streams take more, and RealMedia calls everything RealVideo.
bool is_known_by_header(const AVOutputFormat& container);
// Whether it takes video of a codec.
bool header_takes(const AVOutputFormat& container, AVCodecID codec, const VideoInfo& video);

}  // namespace vidconv
