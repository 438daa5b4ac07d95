// Carries HDR10's static metadata, which belongs to the whole video (the mastering display, and how
// bright the pictures get), and tells which metadata each picture has.
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

// Per-picture metadata go by these names.
inline constexpr std::string_view hdr10_plus = "HDR10+", hdr_vivid = "HDR Vivid",
                                  dolby_vision = "Dolby Vision";
using DynamicHdr = std::vector<std::string_view>;

struct HdrMetadata {
  std::optional<AVMasteringDisplayMetadata> mastering;
  std::optional<AVContentLightMetadata> light;
  DynamicHdr dynamic;  // found on the first picture or the stream
  // AVDOVIMetadata of the first picture: encoders that write Dolby Vision want it in advance.
  std::vector<std::uint8_t> dolby_vision_rpu;
  // Pictures were turned or put beside others: per-picture metadata is no longer true.
  bool pictures_have_moved = false;
};

// Reads the metadata of a decoded frame and its stream.
HdrMetadata hdr_of(const AVFrame& frame, const AVStream& stream);

DynamicHdr dynamic_hdr_of(const AVFrame& frame);
// Drop the metadata of a picture that was turned or put beside another.
void forget_dynamic_hdr(AVFrame& frame);
void forget_dynamic_hdr(HdrMetadata& hdr);

// Writes the metadata to the stream, for containers that keep it.
void set_hdr(const HdrMetadata& hdr, AVStream& stream);

// Returns parameters for libx265, which writes them into the stream:
// "master-display=G(...)...:max-cll=1000,400"; empty where there are none. The standard's units
// (H.265 D.3.28) are 0.00002 and 0.0001 cd/m2.
std::string x265_params(const HdrMetadata& hdr);

}  // namespace vidconv
