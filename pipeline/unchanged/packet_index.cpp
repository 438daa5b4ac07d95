#include "pipeline/unchanged/packet_index.h"

#include <algorithm>
#include <numeric>

#include "pipeline/decode/nal_units.h"
#include "pipeline/unchanged/parameter_sets.h"

namespace vidconv {
namespace {

constexpr unsigned of_several_views = 20;  // a unit of H.264

bool has_units(AVCodecID codec) { return codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC; }

}  // namespace

PacketIndex::PacketIndex(const AVCodecParameters& video)
    : codec_(video.codec_id),
      nal_lengths_(nal_length_size(video)),
      has_sets_(has_units(video.codec_id) && !parameter_sets_in(video).empty()) {}

void PacketIndex::see(const AVPacket& packet, std::int64_t shown) {
  if (packet.flags & AV_PKT_FLAG_DISCARD) obstacle_ = "some of its pictures are not shown";
  for (int i = 0; i < packet.side_data_elems; ++i) {
    const AVPacketSideDataType type = packet.side_data[i].type;
    if (type == AV_PKT_DATA_NEW_EXTRADATA || type == AV_PKT_DATA_PARAM_CHANGE)
      obstacle_ = "its header changes on the way";
    if (type == AV_PKT_DATA_ENCRYPTION_INFO) obstacle_ = "it is encrypted";
    if (type == AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL)
      obstacle_ = "its packets have something beside them, such as what is transparent";
  }
  const std::string header = header_in(packet, codec_, nal_lengths_);
  if (header_.empty()) header_ = header;
  if (!header.empty() && header != header_) obstacle_ = "its header changes on the way";
  const KeyPacket key = key_packet(packet, codec_, nal_lengths_, has_sets_);
  if (key != KeyPacket::none && !first_key_) first_key_ = share_packet(packet);
  if (has_units(codec_)) note_units(packet);
  packets_.push_back(
      {.shown = shown, .duration = packet.duration, .size = packet.size, .key = key});
}

void PacketIndex::note_units(const AVPacket& packet) {
  const CodedBytes data(packet.data, static_cast<std::size_t>(packet.size));
  add_parameter_sets(data, codec_, nal_lengths_, parameter_sets_);
  if (codec_ == AV_CODEC_ID_H264)
    each_nal_unit(data, nal_lengths_, [&](CodedBytes nal) {
      if ((nal[0] & 31U) == of_several_views) obstacle_ = "its pictures have several views";
    });
}

std::vector<PacketCut> PacketIndex::cuts() const {
  std::vector<std::int64_t> first_behind(packets_.size() + 1, INT64_MAX);
  for (std::size_t i = packets_.size(); i-- > 0;)
    first_behind[i] = std::min(first_behind[i + 1], packets_[i].shown);
  std::vector<PacketCut> cuts;
  std::int64_t last_before = INT64_MIN;
  for (std::size_t i = 0; i < packets_.size(); ++i) {
    const IndexedPacket& packet = packets_[i];
    const bool key = packet.key != KeyPacket::none;
    if (i == 0 || (key && last_before < first_behind[i]))
      cuts.push_back({.place = i,
                      .enters = i == 0 || packet.key != KeyPacket::counted,
                      .leading = i > 0 && packet.key == KeyPacket::open ? leading(i) : 0});
    last_before = std::max(last_before, packet.shown);
  }
  return cuts;
}

std::size_t PacketIndex::leading(std::size_t place) const {
  std::size_t count = 0;
  for (std::size_t i = place + 1; i < packets_.size() && packets_[i].key == KeyPacket::none; ++i)
    if (packets_[i].shown < packets_[place].shown) ++count;
  return count;
}

int PacketIndex::delay() const {
  std::vector<std::size_t> by_time(packets_.size());
  std::iota(by_time.begin(), by_time.end(), std::size_t{0});
  std::ranges::sort(by_time, {}, [&](std::size_t i) { return packets_[i].shown; });
  std::ptrdiff_t delay = 0;
  for (std::size_t rank = 0; rank < by_time.size(); ++rank)
    delay = std::max(
        delay, static_cast<std::ptrdiff_t>(by_time[rank]) - static_cast<std::ptrdiff_t>(rank));
  return static_cast<int>(delay);
}

}  // namespace vidconv
