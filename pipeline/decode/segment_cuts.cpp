#include "pipeline/decode/segment_cuts.h"

#include <cstddef>
#include <cstdint>
#include <span>

#include "pipeline/decode/nal_units.h"

namespace vidconv {
namespace {

// Calls see(first byte), which may change the byte, for each NAL unit until it returns true.
template <class See>
void for_each_nal(const AVPacket& packet, int length_bytes, See&& see) {
  const std::span data(packet.data, static_cast<std::size_t>(packet.size));
  if (length_bytes > 0) {
    const auto step = static_cast<std::size_t>(length_bytes);
    for (std::size_t at = 0; at + step < data.size();) {
      std::size_t length = 0;
      for (std::size_t i = 0; i < step; ++i) length = length << 8 | data[at + i];
      at += step;
      if (see(data[at])) return;
      if (length > data.size() - at) return;
      at += length;
    }
    return;
  }
  for (std::size_t at = 0; at + 3 < data.size(); ++at)  // start codes
    if (data[at] == 0 && data[at + 1] == 0 && data[at + 2] == 1 && see(data[at + 3])) return;
}

// Returns the type of the NAL unit that begins with this byte (Rec. H.265, table 7-1).
int hevc_type(std::uint8_t first) { return first >> 1 & 0x3F; }
constexpr int hevc_bla = 16, hevc_idr_with_leading = 19, hevc_idr = 20, hevc_cra = 21;

}  // namespace

Cut cut_at(const AVPacket& packet, const AVCodecParameters& parameters) {
  if (!(packet.flags & AV_PKT_FLAG_KEY) || packet.pts == AV_NOPTS_VALUE) return Cut::no;
  Cut cut = Cut::no;
  switch (parameters.codec_id) {
    case AV_CODEC_ID_H264:  // other key frames may be recovery points, exact only some frames later
      for_each_nal(packet, nal_length_size(parameters), [&](std::uint8_t& first) {
        const int type = first & 0x1F;
        if (type == 5) cut = Cut::clean;
        return type == 5 || type == 1;
      });
      return cut;
    case AV_CODEC_ID_HEVC:
      for_each_nal(packet, nal_length_size(parameters), [&](std::uint8_t& first) {
        const int type = hevc_type(first);
        if (type == hevc_idr_with_leading || type == hevc_idr) cut = Cut::clean;
        if (type == hevc_cra) cut = Cut::open;
        return type < 32;  // it is a picture's
      });
      return cut;
    case AV_CODEC_ID_VP8:
    case AV_CODEC_ID_VP9:
    case AV_CODEC_ID_AV1:
    case AV_CODEC_ID_MJPEG:
      return Cut::clean;
    default:
      return Cut::no;
  }
}

bool can_join(AVCodecID codec) { return codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC; }

void begin_with(AVPacket& packet, const AVCodecParameters& parameters) {
  check_av(av_packet_make_writable(&packet), Fault::internal, "cannot keep a packet");
  for_each_nal(packet, nal_length_size(parameters), [](std::uint8_t& first) {
    if (hevc_type(first) == hevc_cra)
      first = static_cast<std::uint8_t>((first & 0x81) | hevc_bla << 1);
    return false;
  });
}

}  // namespace vidconv
