#include "pipeline/av/hdr.h"

#include <fmt/format.h>

#include <algorithm>
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

struct DynamicKind {
  AVFrameSideDataType type;
  std::string_view name;
};
constexpr DynamicKind dynamic_kinds[] = {
    {AV_FRAME_DATA_DYNAMIC_HDR_PLUS, hdr10_plus},
    {AV_FRAME_DATA_DYNAMIC_HDR_VIVID, hdr_vivid},
    {AV_FRAME_DATA_DOVI_RPU_BUFFER, dolby_vision},
    {AV_FRAME_DATA_DOVI_METADATA, dolby_vision},
};

bool has(const DynamicHdr& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::uint8_t> bytes_of(const AVFrame& frame, AVFrameSideDataType type) {
  const AVFrameSideData* data = av_frame_get_side_data(&frame, type);
  if (!data) return {};
  return {data->data, data->data + data->size};
}

}  // namespace

DynamicHdr dynamic_hdr_of(const AVFrame& frame) {
  DynamicHdr names;
  for (const auto& [type, name] : dynamic_kinds)
    if (av_frame_get_side_data(&frame, type) && !has(names, name)) names.push_back(name);
  return names;
}

void forget_dynamic_hdr(AVFrame& frame) {
  for (const DynamicKind& kind : dynamic_kinds) av_frame_remove_side_data(&frame, kind.type);
}

void forget_dynamic_hdr(HdrMetadata& hdr) {
  hdr.dolby_vision_rpu.clear();
  hdr.pictures_have_moved = true;
}

HdrMetadata hdr_of(const AVFrame& frame, const AVStream& stream) {
  HdrMetadata hdr{
      .mastering =
          side_data_of<AVMasteringDisplayMetadata>(frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA),
      .light = side_data_of<AVContentLightMetadata>(frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL),
      .dynamic = dynamic_hdr_of(frame),
      .dolby_vision_rpu = bytes_of(frame, AV_FRAME_DATA_DOVI_METADATA)};
  if (!vidconv::side_data(stream, AV_PKT_DATA_DOVI_CONF).empty() && !has(hdr.dynamic, dolby_vision))
    hdr.dynamic.push_back(dolby_vision);
  return hdr;
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
