#include "pipeline/av/hdr.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace vidconv {
namespace {

template <class T>
std::optional<T> side_data_of(const AVFrame& frame, AVFrameSideDataType type) {
  const AVFrameSideData* data = av_frame_get_side_data(&frame, type);
  if (!data || data->size < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, data->data, sizeof value);
  return value;
}

long units(AVRational value, double per_one) { return std::lround(av_q2d(value) * per_one); }

std::string dynamic_metadata(const AVFrame& frame, const AVStream& stream) {
  const auto has = [&](AVFrameSideDataType type) { return av_frame_get_side_data(&frame, type); };
  std::string names;
  const auto add = [&](const char* name) {
    if (!names.empty()) names += ", ";
    names += name;
  };
  if (has(AV_FRAME_DATA_DYNAMIC_HDR_PLUS)) add("HDR10+");
  if (has(AV_FRAME_DATA_DYNAMIC_HDR_VIVID)) add("HDR Vivid");
  if (has(AV_FRAME_DATA_DOVI_RPU_BUFFER) || has(AV_FRAME_DATA_DOVI_METADATA) ||
      !vidconv::side_data(stream, AV_PKT_DATA_DOVI_CONF).empty())
    add("Dolby Vision");
  return names;
}

}  // namespace

HdrMetadata hdr_of(const AVFrame& frame, const AVStream& stream) {
  return {side_data_of<AVMasteringDisplayMetadata>(frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA),
          side_data_of<AVContentLightMetadata>(frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL),
          dynamic_metadata(frame, stream)};
}

void set_hdr(const HdrMetadata& hdr, AVStream& stream) {
  if (hdr.mastering)
    set_side_data(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, &*hdr.mastering,
                  sizeof *hdr.mastering);
  if (hdr.light)
    set_side_data(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, &*hdr.light, sizeof *hdr.light);
}

std::string x265_params(const HdrMetadata& hdr) {
  std::string params;
  if (hdr.mastering && hdr.mastering->has_primaries && hdr.mastering->has_luminance) {
    const AVMasteringDisplayMetadata& m = *hdr.mastering;
    const auto point = [](const AVRational(&xy)[2]) {
      return fmt::format("({},{})", units(xy[0], 50000), units(xy[1], 50000));
    };
    params = fmt::format("master-display=G{}B{}R{}WP{}L({},{})", point(m.display_primaries[1]),
                         point(m.display_primaries[2]), point(m.display_primaries[0]),
                         point(m.white_point), units(m.max_luminance, 10000),
                         units(m.min_luminance, 10000));
  }
  if (hdr.light)
    params += fmt::format("{}max-cll={},{}", params.empty() ? "" : ":", hdr.light->MaxCLL,
                          hdr.light->MaxFALL);
  return params;
}

}  // namespace vidconv
