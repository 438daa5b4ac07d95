#include "pipeline/unchanged/key_packets.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "pipeline/decode/nal_units.h"

namespace vidconv {
namespace {

bool is_intra_only(AVCodecID codec) {
  const AVCodecDescriptor* descriptor = avcodec_descriptor_get(codec);
  return descriptor && (descriptor->props & AV_CODEC_PROP_INTRA_ONLY);
}

// Each codec's headers begin so in its specification.
KeyPacket of_ffv1(CodedBytes data) {
  // The first bit of the range coder, with its first state (RFC 9043, 3.8.1).
  constexpr unsigned half = 0x7f80;
  const bool key = data.size() > 2 && (unsigned{data[0]} << 8U | data[1]) >= half;
  return key ? KeyPacket::closed : KeyPacket::none;
}

KeyPacket of_vp9(CodedBytes data) {
  NalBits bits(data.first(std::min<std::size_t>(data.size(), 2)), 0);
  const unsigned marker = bits.bit() << 1 | bits.bit();
  const unsigned profile = bits.bit() | bits.bit() << 1;
  if (profile == 3) bits.bit();
  const bool shows_old = bits.bit() != 0, is_inter = bits.bit() != 0;
  return data.size() > 2 && marker == 2 && !shows_old && !is_inter ? KeyPacket::closed
                                                                   : KeyPacket::none;
}

// Reads a number of AV1 (4.10.5), and moves behind it.
std::optional<std::size_t> leb128(CodedBytes& data) {
  std::size_t value = 0;
  for (unsigned i = 0; i < 8 && !data.empty(); ++i) {
    const std::uint8_t byte = data[0];
    data = data.subspan(1);
    value |= static_cast<std::size_t>(byte & 0x7fU) << (7 * i);
    if ((byte & 0x80U) == 0) return value;
  }
  return std::nullopt;
}

constexpr unsigned sequence_header = 1;

// Calls `see` with the type and the bytes of each unit of AV1 (5.3). Returns false where the packet
// ends within one.
bool each_obu(CodedBytes data, const std::function<void(unsigned, CodedBytes)>& see) {
  while (!data.empty()) {
    const unsigned type = data[0] >> 3U & 15U;
    const bool extended = data[0] & 4U, sized = data[0] & 2U;
    const std::size_t head = extended ? 2 : 1;
    if (data.size() < head) return false;
    data = data.subspan(head);
    const std::optional<std::size_t> size = sized ? leb128(data) : data.size();
    if (!size || *size > data.size()) return false;
    see(type, data.first(*size));
    data = data.subspan(*size);
  }
  return true;
}

KeyPacket of_av1(CodedBytes data) {
  constexpr unsigned frame_header = 3, frame = 6;
  bool has_header = false;
  std::optional<bool> key;  // the first frame is
  const bool whole = each_obu(data, [&](unsigned type, CodedBytes obu) {
    if (type == sequence_header) has_header = true;
    // It shows no earlier frame, is a key frame, and is shown itself (5.9.2).
    if ((type == frame || type == frame_header) && !obu.empty() && !key)
      key = has_header && (obu[0] & 0xf0U) == 0x10U;
  });
  return whole && key.value_or(false) ? KeyPacket::closed : KeyPacket::none;
}

KeyPacket of_mpeg2(CodedBytes data) {
  constexpr unsigned picture = 0, sequence = 0xb3, group = 0xb8;
  bool has_header = false, closed = false;
  for (std::size_t i = 0; i + 7 < data.size(); ++i) {
    if (data[i] != 0 || data[i + 1] != 0 || data[i + 2] != 1) continue;
    if (data[i + 3] == sequence) has_header = true;
    if (data[i + 3] == group) closed = data[i + 7] & 0x40U;
    if (data[i + 3] != picture) continue;
    const bool intra = (data[i + 5] >> 3U & 7U) == 1;
    if (!has_header || !intra) return KeyPacket::none;
    return closed ? KeyPacket::closed : KeyPacket::open;
  }
  return KeyPacket::none;
}

KeyPacket of_h264(CodedBytes data, int nal_lengths, bool recovers) {
  constexpr unsigned slice = 1, refresh = 5;
  unsigned first = 0;
  const bool whole = each_nal_unit(data, nal_lengths, [&](CodedBytes nal) {
    const unsigned type = nal[0] & 31U;
    if (first == 0 && type >= slice && type <= refresh) first = type;
  });
  if (whole && first == refresh) return KeyPacket::closed;
  return whole && recovers ? KeyPacket::counted : KeyPacket::none;
}

KeyPacket of_hevc(CodedBytes data, int nal_lengths, bool has_sets) {
  constexpr unsigned last_slice = 31, refresh = 19, refresh_alone = 20, clean_access = 21;
  constexpr unsigned vps = 32, pps = 34;  // and that of sequences between them
  std::optional<unsigned> first;
  unsigned headers = 0;
  const bool whole = each_nal_unit(data, nal_lengths, [&](CodedBytes nal) {
    const unsigned type = nal[0] >> 1U & 63U;
    if (!first && type <= last_slice) first = type;
    if (!first && type >= vps && type <= pps) headers |= 1U << (type - vps);
  });
  if (!whole || (headers != 7 && !has_sets)) return KeyPacket::none;
  if (first == clean_access) return KeyPacket::counted;
  return first == refresh || first == refresh_alone ? KeyPacket::closed : KeyPacket::none;
}

}  // namespace

bool tells_keys(AVCodecID codec) {
  switch (codec) {
    case AV_CODEC_ID_H264:
    case AV_CODEC_ID_HEVC:
    case AV_CODEC_ID_MPEG1VIDEO:
    case AV_CODEC_ID_MPEG2VIDEO:
    case AV_CODEC_ID_FFV1:
    case AV_CODEC_ID_VP9:
    case AV_CODEC_ID_AV1:
      return true;
    default:
      return is_intra_only(codec);
  }
}

KeyPacket key_packet(const AVPacket& packet, AVCodecID codec, int nal_lengths, bool has_sets) {
  const CodedBytes data(packet.data, static_cast<std::size_t>(packet.size));
  switch (codec) {
    case AV_CODEC_ID_H264:
      return of_h264(data, nal_lengths, packet.flags & AV_PKT_FLAG_KEY);
    case AV_CODEC_ID_HEVC:
      return of_hevc(data, nal_lengths, has_sets);
    case AV_CODEC_ID_MPEG1VIDEO:
    case AV_CODEC_ID_MPEG2VIDEO:
      return of_mpeg2(data);
    case AV_CODEC_ID_FFV1:
      return of_ffv1(data);
    case AV_CODEC_ID_VP9:
      return of_vp9(data);
    case AV_CODEC_ID_AV1:
      return of_av1(data);
    default:
      return is_intra_only(codec) && !data.empty() ? KeyPacket::closed : KeyPacket::none;
  }
}

std::string header_in(const AVPacket& packet, AVCodecID codec, int nal_lengths) {
  const CodedBytes data(packet.data, static_cast<std::size_t>(packet.size));
  std::string header;
  const auto add = [&](CodedBytes bytes) { header.append(bytes.begin(), bytes.end()); };
  if (codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC) {
    const auto says = [codec](unsigned first) {
      return codec == AV_CODEC_ID_H264 ? (first & 31U) == 7 : (first >> 1U & 63U) == 33;
    };
    each_nal_unit(data, nal_lengths, [&](CodedBytes nal) {
      if (says(nal[0])) add(nal);
    });
  } else if (codec == AV_CODEC_ID_MPEG1VIDEO || codec == AV_CODEC_ID_MPEG2VIDEO) {
    constexpr std::size_t size_shape_and_rate = 4;
    for (std::size_t i = 0; i + 4 + size_shape_and_rate < data.size() && header.empty(); ++i)
      if (data[i] == 0 && data[i + 1] == 0 && data[i + 2] == 1 && data[i + 3] == 0xb3)
        add(data.subspan(i + 4, size_shape_and_rate));
  } else if (codec == AV_CODEC_ID_AV1) {
    each_obu(data, [&](unsigned type, CodedBytes obu) {
      if (type == sequence_header) add(obu);
    });
  }
  return header;
}

}  // namespace vidconv
