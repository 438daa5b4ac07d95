// HDR10's static metadata, which belongs to the whole video (how the mastering display was, and how
// bright the pictures get), and whether there is metadata of each picture.
#pragma once

#include <optional>
#include <string>

extern "C" {
#include <libavutil/mastering_display_metadata.h>
}

#include "pipeline/av/av.h"

namespace vidconv {

struct HdrMetadata {
  std::optional<AVMasteringDisplayMetadata> mastering;
  std::optional<AVContentLightMetadata> light;
  // Metadata of each picture that no encoder here writes: "HDR10+, Dolby Vision"; empty where there
  // is none.
  std::string dynamic;
};

// What a decoded frame carries, and its stream.
HdrMetadata hdr_of(const AVFrame& frame, const AVStream& stream);

// Tells the container, for those that keep it.
void set_hdr(const HdrMetadata& hdr, AVStream& stream);

// For libx265, which writes it into the stream: "master-display=G(...)...:max-cll=1000,400"; empty
// where there is none. Units of the standard (H.265 D.3.28): 0.00002 and 0.0001 cd/m2.
std::string x265_params(const HdrMetadata& hdr);

}  // namespace vidconv
