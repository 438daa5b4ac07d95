#include "pipeline/unchanged/parameter_sets.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "pipeline/unchanged/hevc_numbers.h"

namespace vidconv {
namespace {

[[noreturn]] void refuse_record(const std::string& why) {
  throw Error(Fault::output, "cannot join the header of", "the input", why);
}

CodedBytes coded_bytes(const AVCodecParameters& video) {
  return {video.extradata, static_cast<std::size_t>(video.extradata_size)};
}

CodedBytes coded_bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

unsigned byte_of(const std::string& text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

void set_byte(std::string& text, std::size_t at, unsigned value) {
  text[at] = static_cast<char>(value);
}

// Sets of one kind, one after the other: how many they are, and each behind its length.
using Sets = std::vector<std::string>;

class RecordReader {
 public:
  explicit RecordReader(CodedBytes from) : from_(from) {}

  std::string take(std::size_t bytes) {
    if (bytes > from_.size()) refuse_record("it is cut off");
    std::string taken(from_.begin(), from_.begin() + static_cast<std::ptrdiff_t>(bytes));
    from_ = from_.subspan(bytes);
    return taken;
  }
  unsigned number(std::size_t bytes) {
    unsigned value = 0;
    for (const char byte : take(bytes)) value = value << 8U | static_cast<unsigned char>(byte);
    return value;
  }
  Sets sets(unsigned count) {
    Sets all;
    for (unsigned i = 0; i < count; ++i) all.push_back(take(number(2)));
    return all;
  }
  std::string rest() { return take(from_.size()); }

 private:
  CodedBytes from_;
};

void write_sets(const Sets& sets, std::string& to) {
  for (const std::string& set : sets) {
    to += static_cast<char>(set.size() >> 8U);
    to += static_cast<char>(set.size());
    to += set;
  }
}

// An AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3).
struct AvcRecord {
  std::string begin;  // up to the length of lengths
  Sets sequence_sets, picture_sets;
  std::string end;  // high profiles have more there

  explicit AvcRecord(CodedBytes from) {
    constexpr std::size_t fixed = 5;
    RecordReader reader(from);
    begin = reader.take(fixed);
    sequence_sets = reader.sets(reader.number(1) & most_sequences);
    picture_sets = reader.sets(reader.number(1));
    end = reader.rest();
  }

  std::string units() const {
    std::string all;
    write_sets(sequence_sets, all);
    write_sets(picture_sets, all);
    return all;
  }

  void add(const std::string& set) {
    constexpr unsigned sequence_set = 7, picture_set = 8;
    constexpr std::size_t compatible = 2, level = 3;
    const unsigned type = byte_of(set, 0) & 31U;
    if (type == picture_set) picture_sets.push_back(set);
    if (type != sequence_set || set.size() <= level) return;
    sequence_sets.push_back(set);
    // The record's numbers are true of all.
    set_byte(begin, compatible, byte_of(begin, compatible) & byte_of(set, compatible));
    set_byte(begin, level, std::max(byte_of(begin, level), byte_of(set, level)));
  }

  std::string bytes() const {
    if (sequence_sets.size() > most_sequences || picture_sets.size() > 255)
      refuse_record("it has no room for more parameter sets");
    std::string all = begin + static_cast<char>(0xe0U | sequence_sets.size());
    write_sets(sequence_sets, all);
    all += static_cast<char>(picture_sets.size());
    write_sets(picture_sets, all);
    return all + end;
  }

  static constexpr unsigned most_sequences = 31;
};

// An HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3).
struct HevcRecord {
  std::string begin;                             // up to the number of arrays
  std::vector<std::pair<unsigned, Sets>> kinds;  // behind a byte that says of what kind they are

  explicit HevcRecord(CodedBytes from) {
    constexpr std::size_t fixed = 22;
    RecordReader reader(from);
    begin = reader.take(fixed);
    for (unsigned left = reader.number(1); left > 0; --left) {
      const unsigned kind = reader.number(1);
      kinds.emplace_back(kind, reader.sets(reader.number(2)));
    }
  }

  std::string units() const {
    std::string all;
    for (const auto& [kind, sets] : kinds) write_sets(sets, all);
    return all;
  }

  void add(const std::string& set) {
    constexpr unsigned first_kind = 32, sequence_set = 33, last_kind = 34, all_are_here = 0x80;
    const unsigned type = byte_of(set, 0) >> 1U & 63U;
    if (type < first_kind || type > last_kind) return;
    const auto found = std::ranges::find_if(
        kinds, [type](const auto& kind) { return (kind.first & 63U) == type; });
    if (found != kinds.end())
      found->second.push_back(set);
    else
      kinds.push_back({all_are_here | type, {set}});
    if (type == sequence_set) agree_with(set);
  }

  std::string bytes() const {
    std::string all = begin + static_cast<char>(kinds.size());
    for (const auto& [kind, sets] : kinds) {
      all += static_cast<char>(kind);
      all += static_cast<char>(sets.size() >> 8U);
      all += static_cast<char>(sets.size());
      write_sets(sets, all);
    }
    return all;
  }

 private:
  // The record's numbers are true of all.
  void agree_with(const std::string& sequence_set) {
    constexpr std::size_t before = 3 + 1;  // the unit's header, layers, and the profile
    constexpr std::size_t compatible = 2, level = 12, parallel = 15;
    NalBits bits(coded_bytes(sequence_set), before);
    for (std::size_t at = compatible; at < level; ++at)
      set_byte(begin, at, byte_of(begin, at) & bits.number(8));
    set_byte(begin, level, std::max(byte_of(begin, level), bits.number(8)));
    set_byte(begin, parallel, 0xfc);  // unknown
  }
};

template <typename Record>
std::string with_sets(Record record, const std::vector<std::string>& sets) {
  for (const std::string& set : sets) record.add(set);
  return record.bytes();
}

// Calls `see` with the units that the container keeps beside the packets.
void each_unit_in_header(const AVCodecParameters& video,
                         const std::function<void(CodedBytes, int nal_lengths)>& see) {
  const CodedBytes header = coded_bytes(video);
  if (nal_length_size(video) == 0) return see(header, 0);
  const std::string units =
      video.codec_id == AV_CODEC_ID_H264 ? AvcRecord(header).units() : HevcRecord(header).units();
  see(coded_bytes(units), 2);
}

void add_sets_of_h264(CodedBytes units, int nal_lengths, std::set<unsigned>& numbers) {
  constexpr unsigned sequence_set = 7, picture_set = 8;
  constexpr std::size_t before_picture_number = 1, before_sequence_number = 4;  // 7.3.2
  each_nal_unit(units, nal_lengths, [&](CodedBytes nal) {
    const unsigned type = nal[0] & 31U;
    if (type == sequence_set) numbers.insert(NalBits(nal, before_sequence_number).golomb());
    if (type == picture_set) numbers.insert(NalBits(nal, before_picture_number).golomb());
  });
}

}  // namespace

void add_parameter_sets(CodedBytes units, AVCodecID codec, int nal_lengths,
                        std::set<unsigned>& numbers) {
  if (codec == AV_CODEC_ID_H264) add_sets_of_h264(units, nal_lengths, numbers);
  if (codec == AV_CODEC_ID_HEVC) add_sets_of_hevc(units, nal_lengths, numbers);
}

std::set<unsigned> parameter_sets_in(const AVCodecParameters& video) {
  std::set<unsigned> numbers;
  each_unit_in_header(video, [&](CodedBytes units, int nal_lengths) {
    add_parameter_sets(units, video.codec_id, nal_lengths, numbers);
  });
  return numbers;
}

std::string header_with(const AVCodecParameters& video, const std::vector<std::string>& sets) {
  const CodedBytes header = coded_bytes(video);
  if (nal_length_size(video) > 0)
    return video.codec_id == AV_CODEC_ID_H264 ? with_sets(AvcRecord(header), sets)
                                              : with_sets(HevcRecord(header), sets);
  std::string all(header.begin(), header.end());
  for (const std::string& set : sets) all += std::string("\0\0\0\1", 4) + set;
  return all;
}

}  // namespace vidconv
