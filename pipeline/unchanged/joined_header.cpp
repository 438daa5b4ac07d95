#include "pipeline/unchanged/joined_header.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "pipeline/decode/nal_units.h"
#include "pipeline/unchanged/parameter_sets.h"

extern "C" {
#include <libavutil/mem.h>
}

namespace vidconv {
namespace {

CodedBytes header_bytes(const AVCodecParameters& video) {
  return {video.extradata, static_cast<std::size_t>(video.extradata_size)};
}

std::string header_text(const AVCodecParameters& video) {
  const CodedBytes bytes = header_bytes(video);
  return {bytes.begin(), bytes.end()};
}

CodedBytes bytes_in(const AVPacket& packet) {
  return {packet.data, static_cast<std::size_t>(packet.size)};
}

// Adds a unit as the stream's packets have them.
void append_unit(const std::string& unit, int nal_lengths, std::string& to) {
  if (nal_lengths == 0) to.append("\0\0\0\1", 4);
  for (int i = nal_lengths; i-- > 0;) to += static_cast<char>(unit.size() >> (8 * i));
  to += unit;
}

void set_bytes(const std::string& bytes, AVPacket& packet) {
  const PacketPtr changed = make_packet();
  check_av(av_new_packet(changed.get(), static_cast<int>(bytes.size())), Fault::internal,
           "cannot keep a packet");
  std::memcpy(changed->data, bytes.data(), bytes.size());
  check_av(av_packet_copy_props(changed.get(), &packet), Fault::internal, "cannot keep a packet");
  av_packet_unref(&packet);
  av_packet_move_ref(&packet, changed.get());
}

// As FFmpeg's command chooses for copies: the input's own name for the codec where the container
// knows it, else none, so that the muxer chooses.
unsigned tag_in(const AVOutputFormat& container, const AVCodecParameters& stream) {
  if (!container.codec_tag) return 0;
  return av_codec_get_id(container.codec_tag, stream.codec_tag) == stream.codec_id
             ? stream.codec_tag
             : 0;
}

}  // namespace

JoinedHeader::JoinedHeader(const AVCodecParameters& stream, const AVCodecParameters& encoded,
                           const AVOutputFormat& container, int delay,
                           std::optional<HevcNumbers> numbers)
    : delay_(delay),
      numbers_(numbers),
      codec_(stream.codec_id),
      encoded_(header_text(encoded)),
      nal_lengths_(has_units() ? nal_length_size(stream) : 0),
      profile_(stream.profile),
      level_(std::max(stream.level, encoded.level)),
      tag_(tag_in(container, stream)),
      header_(joined(stream, encoded)) {}

bool JoinedHeader::has_units() const {
  return codec_ == AV_CODEC_ID_H264 || codec_ == AV_CODEC_ID_HEVC;
}

// The encoder's have numbers of their own, so that a decoder keeps both side by side.
std::vector<std::string> JoinedHeader::parameter_sets(const AVCodecParameters& encoded) const {
  std::vector<std::string> sets;
  each_nal_unit(header_bytes(encoded), 0, [&](CodedBytes nal) {
    sets.push_back(numbers_ ? numbers_->renumbered(nal) : std::string(nal.begin(), nal.end()));
  });
  return sets;
}

std::string JoinedHeader::joined(const AVCodecParameters& stream,
                                 const AVCodecParameters& encoded) const {
  switch (codec_) {
    case AV_CODEC_ID_H264:
    case AV_CODEC_ID_HEVC:
      return header_with(stream, parameter_sets(encoded));
    // Their key packets have all that a decoder needs, which key_packet() has seen.
    case AV_CODEC_ID_AV1:
    case AV_CODEC_ID_MPEG1VIDEO:
    case AV_CODEC_ID_MPEG2VIDEO:
    case AV_CODEC_ID_VP9:
      return header_text(stream);
    // Each packet has its own; what containers keep beside them is made by their muxers.
    case AV_CODEC_ID_DNXHD:
    case AV_CODEC_ID_MJPEG:
    case AV_CODEC_ID_PRORES:
      return header_text(encoded);
    default:
      if (header_text(stream) != header_text(encoded))
        throw Error(Fault::output, "cannot join the header of", "the input",
                    "its encoder has set its options otherwise");
      return header_text(stream);
  }
}

void JoinedHeader::describe(AVCodecParameters& encoded) const {
  if (header_text(encoded) != encoded_)
    throw Error(Fault::output, "cannot go on in the stream of", "the input",
                "the encoder's header is not the one that was tried", "leave out `keep_unchanged`");
  av_freep(&encoded.extradata);
  encoded.extradata_size = 0;
  if (!header_.empty()) {
    encoded.extradata =
        static_cast<std::uint8_t*>(av_mallocz(header_.size() + AV_INPUT_BUFFER_PADDING_SIZE));
    if (!encoded.extradata) throw_out_of_memory("for the header of", "the input");
    std::memcpy(encoded.extradata, header_.data(), header_.size());
    encoded.extradata_size = static_cast<int>(header_.size());
  }
  encoded.profile = profile_;
  encoded.level = level_;
  if (tag_ != 0) encoded.codec_tag = tag_;
}

void JoinedHeader::fit(AVPacket& packet) const {
  if (nal_lengths_ == 0 && !numbers_) return;
  std::string units;
  each_nal_unit(bytes_in(packet), 0, [&](CodedBytes nal) {
    append_unit(numbers_ ? numbers_->renumbered(nal) : std::string(nal.begin(), nal.end()),
                nal_lengths_, units);
  });
  set_bytes(units, packet);
}

}  // namespace vidconv
