#include "pipeline/unchanged/joined_header.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "pipeline/decode/nal_units.h"
#include "pipeline/unchanged/packet_index.h"

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

// An AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3).
struct AvcRecord {
  std::string begin;  // up to the length of lengths
  std::vector<std::string> sequence_sets, picture_sets;
  std::string end;  // high profiles have more there

  // Throws Error(output) where it makes no sense.
  explicit AvcRecord(CodedBytes from);
  std::string bytes() const;
};

[[noreturn]] void refuse_header(const std::string& why) {
  throw Error(Fault::output, "cannot join the header of", "the input", why);
}

AvcRecord::AvcRecord(CodedBytes from) {
  constexpr std::size_t fixed = 5;
  if (from.size() <= fixed) refuse_header("it is cut off");
  begin.assign(from.begin(), from.begin() + fixed);
  from = from.subspan(fixed);
  const auto take = [&](unsigned mask, std::vector<std::string>& sets) {
    if (from.empty()) refuse_header("it is cut off");
    const unsigned count = from[0] & mask;
    from = from.subspan(1);
    for (unsigned i = 0; i < count; ++i) {
      const std::size_t length =
          from.size() < 2 ? SIZE_MAX : static_cast<std::size_t>(from[0]) << 8U | from[1];
      if (length > from.size() - std::min<std::size_t>(from.size(), 2))
        refuse_header("it is cut off");
      sets.emplace_back(from.begin() + 2, from.begin() + 2 + static_cast<std::ptrdiff_t>(length));
      from = from.subspan(2 + length);
    }
  };
  take(31, sequence_sets);
  take(255, picture_sets);
  end.assign(from.begin(), from.end());
}

std::string AvcRecord::bytes() const {
  if (sequence_sets.size() > 31 || picture_sets.size() > 255)
    refuse_header("it has no room for more parameter sets");
  std::string all = begin;
  const auto add = [&all](unsigned mark, const std::vector<std::string>& sets) {
    all += static_cast<char>(mark | sets.size());
    for (const std::string& set : sets) {
      all += static_cast<char>(set.size() >> 8U);
      all += static_cast<char>(set.size());
      all += set;
    }
  };
  add(0xe0, sequence_sets);
  add(0, picture_sets);
  return all + end;
}

// Both have parameter sets with numbers of their own, which a decoder keeps side by side.
std::string with_both(const AVCodecParameters& stream, const AVCodecParameters& encoded) {
  if (nal_length_size(stream) == 0) return header_text(stream) + header_text(encoded);
  AvcRecord record(header_bytes(stream));
  constexpr unsigned sequence_set = 7, picture_set = 8;
  constexpr std::size_t compatible = 2, level = 3;
  each_nal_unit(header_bytes(encoded), 0, [&](CodedBytes nal) {
    const std::string text(nal.begin(), nal.end());
    if ((nal[0] & 31U) == picture_set) record.picture_sets.push_back(text);
    if ((nal[0] & 31U) != sequence_set || nal.size() <= level) return;
    record.sequence_sets.push_back(text);
    // The record's numbers are true of all.
    record.begin[compatible] =
        static_cast<char>(static_cast<std::uint8_t>(record.begin[compatible]) & nal[compatible]);
    record.begin[level] =
        static_cast<char>(std::max(static_cast<std::uint8_t>(record.begin[level]), nal[level]));
  });
  return record.bytes();
}

std::string joined(const AVCodecParameters& stream, const AVCodecParameters& encoded) {
  switch (stream.codec_id) {
    case AV_CODEC_ID_H264:
      return with_both(stream, encoded);
    // Their key packets have all that a decoder needs, which key_packet() has seen.
    case AV_CODEC_ID_HEVC:
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
        refuse_header("its encoder has set its options otherwise");
      return header_text(stream);
  }
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

std::set<unsigned> parameter_sets_in(const AVCodecParameters& video) {
  std::set<unsigned> numbers;
  if (nal_length_size(video) == 0) {
    add_parameter_sets(header_bytes(video), 0, numbers);
    return numbers;
  }
  const AvcRecord record(header_bytes(video));
  for (const auto* sets : {&record.sequence_sets, &record.picture_sets})
    for (const std::string& set : *sets) {
      const std::string unit = std::string("\0\0\1", 3) + set;
      add_parameter_sets({reinterpret_cast<const std::uint8_t*>(unit.data()), unit.size()}, 0,
                         numbers);
    }
  return numbers;
}

JoinedHeader::JoinedHeader(const AVCodecParameters& stream, const AVCodecParameters& encoded,
                           const AVOutputFormat& container, int delay)
    : encoded_(header_text(encoded)),
      nal_lengths_(stream.codec_id == AV_CODEC_ID_H264 || stream.codec_id == AV_CODEC_ID_HEVC
                       ? nal_length_size(stream)
                       : 0),
      profile_(stream.profile),
      level_(std::max(stream.level, encoded.level)),
      delay_(delay),
      tag_(tag_in(container, stream)),
      header_(joined(stream, encoded)) {}

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
  if (nal_lengths_ == 0) return;
  const std::string units =
      with_lengths({packet.data, static_cast<std::size_t>(packet.size)}, nal_lengths_);
  const PacketPtr fitted = make_packet();
  check_av(av_new_packet(fitted.get(), static_cast<int>(units.size())), Fault::internal,
           "cannot keep a packet");
  std::memcpy(fitted->data, units.data(), units.size());
  check_av(av_packet_copy_props(fitted.get(), &packet), Fault::internal, "cannot keep a packet");
  av_packet_unref(&packet);
  av_packet_move_ref(&packet, fitted.get());
}

}  // namespace vidconv
