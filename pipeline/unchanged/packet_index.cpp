#include "pipeline/unchanged/packet_index.h"

#include <algorithm>
#include <numeric>

#include "pipeline/decode/nal_units.h"

namespace vidconv {
namespace {

constexpr unsigned sequence_set = 7, picture_set = 8, of_several_views = 20;

}  // namespace

void add_parameter_sets(CodedBytes units, int nal_lengths, std::set<unsigned>& numbers) {
  constexpr std::size_t before_picture_number = 1, before_sequence_number = 4;  // 7.3.2
  each_nal_unit(units, nal_lengths, [&](CodedBytes nal) {
    const unsigned type = nal[0] & 31U;
    if (type == sequence_set) numbers.insert(NalBits(nal, before_sequence_number).golomb());
    if (type == picture_set) numbers.insert(NalBits(nal, before_picture_number).golomb());
  });
}

PacketIndex::PacketIndex(const AVCodecParameters& video)
    : codec_(video.codec_id), nal_lengths_(nal_length_size(video)) {}

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
  const KeyPacket key = key_packet(packet, codec_, nal_lengths_);
  if (key != KeyPacket::none && !first_key_) first_key_ = share_packet(packet);
  if (codec_ == AV_CODEC_ID_H264) note_parameter_sets(packet);
  packets_.push_back(
      {.shown = shown, .duration = packet.duration, .size = packet.size, .key = key});
}

void PacketIndex::note_parameter_sets(const AVPacket& packet) {
  const CodedBytes data(packet.data, static_cast<std::size_t>(packet.size));
  add_parameter_sets(data, nal_lengths_, parameter_sets_);
  each_nal_unit(data, nal_lengths_, [&](CodedBytes nal) {
    if ((nal[0] & 31U) == of_several_views) obstacle_ = "its pictures have several views";
  });
}

std::vector<std::size_t> PacketIndex::cuts() const {
  std::vector<std::int64_t> first_behind(packets_.size() + 1, INT64_MAX);
  for (std::size_t i = packets_.size(); i-- > 0;)
    first_behind[i] = std::min(first_behind[i + 1], packets_[i].shown);
  std::vector<std::size_t> cuts;
  std::int64_t last_before = INT64_MIN;
  for (std::size_t i = 0; i < packets_.size(); ++i) {
    const IndexedPacket& packet = packets_[i];
    const bool alone = packet.key == KeyPacket::closed ||
                       (packet.key == KeyPacket::open && first_behind[i] == packet.shown);
    if (i == 0 || (alone && last_before < first_behind[i])) cuts.push_back(i);
    last_before = std::max(last_before, packet.shown);
  }
  return cuts;
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
