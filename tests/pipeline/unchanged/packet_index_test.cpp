// Where a video can be cut, by its packets alone.
#include "pipeline/unchanged/packet_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

namespace vidconv::test {
namespace {

using Octets = std::vector<std::uint8_t>;

PacketPtr packet_of(const Octets& bytes) {
  PacketPtr packet = make_packet();
  EXPECT_EQ(av_new_packet(packet.get(), static_cast<int>(bytes.size())), 0);
  std::ranges::copy(bytes, packet->data);
  return packet;
}

KeyPacket key_of(AVCodecID codec, const Octets& bytes, int nal_lengths = 0, bool has_sets = false) {
  return key_packet(*packet_of(bytes), codec, nal_lengths, has_sets);
}

CodecParametersPtr parameters_of(AVCodecID codec) {
  CodecParametersPtr parameters(avcodec_parameters_alloc());
  parameters->codec_id = codec;
  return parameters;
}

const Octets idr{0, 0, 1, 0x65, 0x88}, recovery{0, 0, 1, 0x06, 6, 1, 0xc0, 0, 0, 1, 0x41, 0x9a};
// MPEG-2: a sequence header, a group that is closed or not, and an I picture; a B picture.
Octets group(bool closed) {
  return {0, 0, 1, 0xb3, 20, 0,    240, 0x13, 0, 0,
          0, 0, 0, 0,    1,  0xb8, 0,   8,    0, static_cast<std::uint8_t>(closed ? 0x40 : 0),
          0, 0, 1, 0,    0,  0x0f, 0,   0,    0};
}
const Octets b_picture{0, 0, 1, 0, 0, 0x1f, 0, 0, 0};

TEST(KeyPackets, AreToldApartByTheirBytes) {
  EXPECT_EQ(key_of(AV_CODEC_ID_H264, idr), KeyPacket::closed);
  EXPECT_EQ(key_of(AV_CODEC_ID_H264, recovery), KeyPacket::none);
  const PacketPtr open = packet_of(recovery);
  open->flags |= AV_PKT_FLAG_KEY;
  EXPECT_EQ(key_packet(*open, AV_CODEC_ID_H264, 0, false), KeyPacket::counted);
  EXPECT_EQ(key_of(AV_CODEC_ID_H264, {0, 0, 0, 2, 0x65, 0x88}, 4), KeyPacket::closed);
  EXPECT_EQ(key_of(AV_CODEC_ID_H264, {0, 0, 0, 9, 0x65, 0x88}, 4), KeyPacket::none) << "cut off";
  const Octets sets{0, 0, 1, 0x40, 1, 0, 0, 1, 0x42, 1, 0, 0, 1, 0x44, 1};
  const auto with = [](Octets before, const Octets& after) {
    before.insert(before.end(), after.begin(), after.end());
    return before;
  };
  const Octets refresh{0, 0, 1, 0x26, 1, 0x80}, clean{0, 0, 1, 0x2a, 1, 0x80};
  EXPECT_EQ(key_of(AV_CODEC_ID_HEVC, with(sets, refresh)), KeyPacket::closed);
  EXPECT_EQ(key_of(AV_CODEC_ID_HEVC, refresh), KeyPacket::none) << "its sets are elsewhere";
  EXPECT_EQ(key_of(AV_CODEC_ID_HEVC, refresh, 0, true), KeyPacket::closed);
  EXPECT_EQ(key_of(AV_CODEC_ID_HEVC, with(sets, clean)), KeyPacket::counted) << "an open group";
  EXPECT_EQ(key_of(AV_CODEC_ID_MPEG2VIDEO, group(true)), KeyPacket::closed);
  EXPECT_EQ(key_of(AV_CODEC_ID_MPEG2VIDEO, group(false)), KeyPacket::open);
  EXPECT_EQ(key_of(AV_CODEC_ID_MPEG2VIDEO, b_picture), KeyPacket::none);
  EXPECT_EQ(key_of(AV_CODEC_ID_VP9, {0x82, 0x49, 0x83}), KeyPacket::closed);
  EXPECT_EQ(key_of(AV_CODEC_ID_VP9, {0x86, 0, 0}), KeyPacket::none);
  EXPECT_EQ(key_of(AV_CODEC_ID_VP9, {0x88, 0, 0}), KeyPacket::none) << "an earlier frame";
  EXPECT_EQ(key_of(AV_CODEC_ID_AV1, {0x0a, 1, 0, 0x32, 1, 0x10}), KeyPacket::closed);
  EXPECT_EQ(key_of(AV_CODEC_ID_AV1, {0x32, 1, 0x10}), KeyPacket::none) << "its header is elsewhere";
  EXPECT_EQ(key_of(AV_CODEC_ID_AV1, {0x0a, 1, 0, 0x32, 1, 0x30}), KeyPacket::none);
  EXPECT_EQ(key_of(AV_CODEC_ID_AV1, {0x0a, 9, 0}), KeyPacket::none) << "cut off";
  EXPECT_EQ(key_of(AV_CODEC_ID_FFV1, {0x80, 0, 0}), KeyPacket::closed);
  EXPECT_EQ(key_of(AV_CODEC_ID_FFV1, {0x7f, 0, 0}), KeyPacket::none);
  EXPECT_EQ(key_of(AV_CODEC_ID_MJPEG, {0xff}), KeyPacket::closed);
  EXPECT_EQ(key_of(AV_CODEC_ID_MJPEG, {}), KeyPacket::none);
  EXPECT_FALSE(tells_keys(AV_CODEC_ID_THEORA));
}

using Packets = std::initializer_list<std::pair<const Octets*, std::int64_t>>;

PacketIndex index_of(AVCodecID codec, Packets packets) {
  PacketIndex index(*parameters_of(codec));
  for (const auto& [bytes, shown] : packets) index.see(*packet_of(*bytes), shown);
  return index;
}

// Places, and how many packets lead there.
using Cuts = std::vector<std::pair<std::size_t, std::size_t>>;

Cuts cuts_of(AVCodecID codec, Packets packets) {
  Cuts all;
  for (const PacketCut& cut : index_of(codec, packets).cuts()) {
    EXPECT_TRUE(cut.enters);
    all.emplace_back(cut.place, cut.leading);
  }
  return all;
}

TEST(PacketIndex, CutsWhereNothingCrosses) {
  const Octets closed = group(true), open = group(false);
  // The second group is closed, and its leading picture needs nothing before it.
  EXPECT_EQ(cuts_of(AV_CODEC_ID_MPEG2VIDEO,
                    {{&closed, 0}, {&b_picture, 1}, {&closed, 3}, {&b_picture, 2}}),
            (Cuts{{0, 0}, {2, 0}}));
  // The leading picture of an open group needs what is before it.
  EXPECT_EQ(
      cuts_of(AV_CODEC_ID_MPEG2VIDEO, {{&closed, 0}, {&b_picture, 1}, {&open, 3}, {&b_picture, 2}}),
      (Cuts{{0, 0}, {2, 1}}));
  EXPECT_EQ(
      cuts_of(AV_CODEC_ID_MPEG2VIDEO, {{&closed, 0}, {&b_picture, 1}, {&open, 2}, {&b_picture, 3}}),
      (Cuts{{0, 0}, {2, 0}}));
  // A picture from before that is shown behind the key frame crosses the border.
  EXPECT_EQ(cuts_of(AV_CODEC_ID_H264, {{&idr, 0}, {&recovery, 3}, {&idr, 2}, {&idr, 4}}),
            (Cuts{{0, 0}, {3, 0}}));
}

TEST(PacketIndex, KnowsBehindWhatPicturesCount) {
  PacketIndex index(*parameters_of(AV_CODEC_ID_H264));
  for (const std::int64_t shown : {0, 1, 2}) {
    const PacketPtr packet = packet_of(shown == 1 ? recovery : idr);
    packet->flags |= AV_PKT_FLAG_KEY;
    index.see(*packet, shown);
  }
  std::vector<bool> enters;
  for (const PacketCut& cut : index.cuts()) enters.push_back(cut.enters);
  EXPECT_EQ(enters, (std::vector<bool>{true, false, true}));
}

TEST(PacketIndex, CountsHowFarPacketsComeEarly) {
  EXPECT_EQ(index_of(AV_CODEC_ID_H264, {{&idr, 0}, {&recovery, 1}}).delay(), 0);
  EXPECT_EQ(
      index_of(AV_CODEC_ID_H264, {{&idr, 0}, {&recovery, 40}, {&recovery, 20}, {&recovery, 10}})
          .delay(),
      2);
}

TEST(PacketIndex, SaysWhatIsInTheWay) {
  EXPECT_EQ(index_of(AV_CODEC_ID_H264, {{&idr, 0}, {&idr, 1}}).obstacle(), "");
  const Octets set{0, 0, 1, 0x67, 100, 0, 31, 0x80, 0, 0, 1, 0x65},
      other{0, 0, 1, 0x67, 100, 0, 40, 0x80, 0, 0, 1, 0x65}, views{0, 0, 1, 0x74, 0};
  EXPECT_EQ(index_of(AV_CODEC_ID_H264, {{&set, 0}, {&idr, 1}, {&set, 2}}).obstacle(), "");
  EXPECT_NE(index_of(AV_CODEC_ID_H264, {{&set, 0}, {&other, 1}}).obstacle(), "");
  EXPECT_NE(index_of(AV_CODEC_ID_H264, {{&idr, 0}, {&views, 1}}).obstacle(), "");
  PacketIndex hidden(*parameters_of(AV_CODEC_ID_H264));
  const PacketPtr packet = packet_of(idr);
  packet->flags |= AV_PKT_FLAG_DISCARD;
  hidden.see(*packet, 0);
  EXPECT_NE(hidden.obstacle(), "");
}

TEST(PacketIndex, KnowsTheNumbersOfParameterSets) {
  // Sets 0 and 3 of sequences, set 2 of pictures.
  const Octets sets{0, 0,  1,    0x67, 100, 0, 31,   0x80, 0, 0, 1, 0x67, 100,
                    0, 31, 0x20, 0,    0,   1, 0x68, 0x60, 0, 0, 1, 0x65};
  EXPECT_EQ(index_of(AV_CODEC_ID_H264, {{&sets, 0}}).parameter_sets(),
            (std::set<unsigned>{0, 2, 3}));
}

}  // namespace
}  // namespace vidconv::test
