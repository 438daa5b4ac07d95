#include "pipeline/encode/hdr10_plus.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

extern "C" {
#include <libavutil/hdr_dynamic_metadata.h>
#include <libavutil/mem.h>
}

#include "pipeline/base/error.h"

namespace vidconv {
namespace {

using SeiBytes = std::vector<std::uint8_t>;

// Tells whether FFmpeg can write HDR10+ as ITU-T T.35, which its Matroska muxer needs as well.
constexpr bool has_words = LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 5, 100);

// Returns the message of ITU-T T.35 (SMPTE ST 2094-40): the United States, Samsung, HDR10+.
SeiBytes message(const AVBufferRef& metadata) {
  SeiBytes bytes = {0xb5, 0x00, 0x3c, 0x00, 0x01, 0x04};
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 5, 100)
  std::uint8_t* payload = nullptr;
  std::size_t size = 0;
  check_av(av_dynamic_hdr_plus_to_t35(reinterpret_cast<const AVDynamicHDRPlus*>(metadata.data),
                                      &payload, &size),
           Fault::internal, "cannot write HDR10+ metadata");
  bytes.insert(bytes.end(), payload, payload + size);
  av_free(payload);
#else
  static_cast<void>(metadata);
#endif
  return bytes;
}

// Returns a NAL unit with an SEI message "user_data_registered_itu_t_t35" (H.265, 7.3.2.4 and
// D.2.6).
SeiBytes sei_unit(const SeiBytes& message) {
  constexpr std::uint8_t prefix_sei = 39 << 1, first_layer = 1, registered_t35 = 4, end = 0x80;
  SeiBytes raw = {registered_t35};
  raw.insert(raw.end(), message.size() / 255, 255);
  raw.push_back(static_cast<std::uint8_t>(message.size() % 255));
  raw.insert(raw.end(), message.begin(), message.end());
  raw.push_back(end);
  SeiBytes unit = {0, 0, 0, 1, prefix_sei, first_layer};
  int zeros = 0;
  for (const std::uint8_t byte : raw) {  // escapes what would look like a start code
    if (zeros >= 2 && byte <= 3) {
      unit.push_back(3);
      zeros = 0;
    }
    unit.push_back(byte);
    zeros = byte == 0 ? zeros + 1 : 0;
  }
  return unit;
}

// Returns where the first slice of a picture begins, with its start code; past the end where there
// is none.
std::size_t first_slice(std::span<const std::uint8_t> packet) {
  constexpr std::array<std::uint8_t, 3> start = {0, 0, 1};
  constexpr int least_of_parameters = 32;  // nal_unit_type
  for (auto at = packet.begin();; at += start.size()) {
    at = std::search(at, packet.end(), start.begin(), start.end());
    if (packet.end() - at <= 3) return packet.size();
    if ((at[3] >> 1 & 63) >= least_of_parameters) continue;
    const bool long_start = at != packet.begin() && at[-1] == 0;
    return static_cast<std::size_t>(at - packet.begin()) - (long_start ? 1 : 0);
  }
}

void add_leb128(SeiBytes& bytes, std::size_t value) {
  for (; value >= 128; value >>= 7) bytes.push_back(static_cast<std::uint8_t>(value | 128));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

// Returns an OBU with metadata of type METADATA_TYPE_ITUT_T35 (AV1, 5.8.1).
SeiBytes metadata_obu(const SeiBytes& message) {
  constexpr std::uint8_t metadata_with_size = 5 << 3 | 2, itut_t35 = 4, end = 0x80;
  SeiBytes obu;
  obu.reserve(message.size() + 16);
  obu.push_back(metadata_with_size);
  add_leb128(obu, message.size() + 2);
  obu.push_back(itut_t35);
  obu.insert(obu.end(), message.begin(), message.end());
  obu.push_back(end);
  return obu;
}

// Returns where the shown picture of a temporal unit, its last, begins; past the end where there is
// none.
std::size_t shown_frame(std::span<const std::uint8_t> unit) {
  constexpr int frame_header = 3, frame = 6;  // obu_type
  std::size_t found = unit.size();
  for (std::size_t at = 0; at < unit.size();) {
    const int type = unit[at] >> 3 & 15;
    const bool has_extension = unit[at] & 4, has_size = unit[at] & 2;
    if (type == frame_header || type == frame) found = at;
    if (!has_size) break;  // the last one
    at += has_extension ? 2 : 1;
    std::size_t size = 0;
    for (unsigned shift = 0; at < unit.size() && shift < 56; shift += 7) {
      const std::uint8_t byte = unit[at++];
      size |= static_cast<std::size_t>(byte & 127) << shift;
      if (!(byte & 128)) break;
    }
    at += std::min(size, unit.size() - std::min(at, unit.size()));
  }
  return found;
}

void insert(AVPacket& packet, std::size_t at, const SeiBytes& bytes) {
  const auto size = static_cast<std::size_t>(packet.size);
  if (at >= size)
    throw Error(MessageKind::unaccounted, "HDR10+ metadata has no place in a packet", "",
                "there is no picture in it");
  if (av_grow_packet(&packet, static_cast<int>(bytes.size())) < 0)
    throw_out_of_memory("for a packet");
  std::memmove(packet.data + at + bytes.size(), packet.data + at, size - at);
  std::memcpy(packet.data + at, bytes.data(), bytes.size());
}

bool keeps_what_is_beside(const EncoderChoice& choice) {
  return choice.container == "matroska" || choice.container == "webm";
}

}  // namespace

Hdr10Plus::Place Hdr10Plus::place_of(const EncoderChoice& choice, bool packets_alone) {
  if (!has_words) return Place::nowhere;
  if (choice.codec->id == AV_CODEC_ID_HEVC) return Place::hevc;
  if (choice.codec->id == AV_CODEC_ID_AV1) return Place::av1;
  return keeps_what_is_beside(choice) && !packets_alone ? Place::beside : Place::nowhere;
}

Hdr10Plus::Hdr10Plus(const EncoderChoice& choice, const EncoderOptions& options)
    : place_(place_of(choice, options.packets_alone)) {}

void Hdr10Plus::keep(std::int64_t inside, AVFrame& frame) {
  const AVFrameSideData* data = av_frame_get_side_data(&frame, AV_FRAME_DATA_DYNAMIC_HDR_PLUS);
  if (!data) return;
  if (is_kept() && data->size >= sizeof(AVDynamicHDRPlus)) {
    BufferPtr& kept = held_[inside];
    kept.reset(av_buffer_ref(data->buf));
    if (!kept) throw_out_of_memory("for a frame");
  }
  av_frame_remove_side_data(&frame, AV_FRAME_DATA_DYNAMIC_HDR_PLUS);
}

void Hdr10Plus::restore(AVPacket& packet) {
  const auto found = held_.extract(packet.pts);
  // Drops metadata of frames that the encoder has dropped.
  held_.erase(held_.begin(), held_.lower_bound(std::min(packet.dts, packet.pts)));
  if (found.empty()) return;
  const AVBufferRef& metadata = *found.mapped();
  const std::span<const std::uint8_t> bytes(packet.data, static_cast<std::size_t>(packet.size));
  if (place_ == Place::hevc) return insert(packet, first_slice(bytes), sei_unit(message(metadata)));
  if (place_ == Place::av1)
    return insert(packet, shown_frame(bytes), metadata_obu(message(metadata)));
  std::uint8_t* beside =
      av_packet_new_side_data(&packet, AV_PKT_DATA_DYNAMIC_HDR10_PLUS, metadata.size);
  if (!beside) throw_out_of_memory("for a packet");
  std::memcpy(beside, metadata.data, metadata.size);
}

}  // namespace vidconv
