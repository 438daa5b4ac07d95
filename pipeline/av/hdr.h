// HDR10's static metadata, which belongs to the whole video (how the mastering display was, and how
// bright the pictures get), and which metadata of each picture there is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
#include <libavutil/mastering_display_metadata.h>
}

#include "pipeline/av/av.h"

namespace vidconv {

// Metadata of each picture, by its names.
inline constexpr std::string_view hdr10_plus = "HDR10+", hdr_vivid = "HDR Vivid",
                                  dolby_vision = "Dolby Vision";
using DynamicHdr = std::vector<std::string_view>;

struct HdrMetadata {
  std::optional<AVMasteringDisplayMetadata> mastering;
  std::optional<AVContentLightMetadata> light;
  DynamicHdr dynamic;  // what the first picture or the stream has
  // AVDOVIMetadata of the first picture: encoders that write Dolby Vision want it beforehand.
  std::vector<std::uint8_t> dolby_vision_rpu;
  // Pictures were turned or put beside others: what was said of each is not true any more.
  bool pictures_have_moved = false;
};

// What a decoded frame carries, and its stream.
HdrMetadata hdr_of(const AVFrame& frame, const AVStream& stream);

DynamicHdr dynamic_hdr_of(const AVFrame& frame);
// For a picture that was turned or put beside another.
void forget_dynamic_hdr(AVFrame& frame);
void forget_dynamic_hdr(HdrMetadata& hdr);

// Tells the container, for those that keep it.
void set_hdr(const HdrMetadata& hdr, AVStream& stream);

// For libx265, which writes it into the stream: "master-display=G(...)...:max-cll=1000,400"; empty
// where there is none. Units of the standard (H.265 D.3.28): 0.00002 and 0.0001 cd/m2.
std::string x265_params(const HdrMetadata& hdr);

}  // namespace vidconv
