#include "pipeline/demux/container_trailer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "pipeline/base/number_bytes.h"

namespace vidconv {
namespace {

using Bytes = std::string_view;

// Takes the size of an EBML element off `bytes`; its first byte says how long it is. None if the
// size is not known, or if there are too few bytes.
std::optional<std::uint64_t> take_size(Bytes& bytes) {
  if (bytes.empty() || bytes[0] == 0) return std::nullopt;
  const auto first = static_cast<unsigned char>(bytes[0]);
  const auto length = static_cast<std::size_t>(std::countl_zero(first)) + 1;
  if (bytes.size() < length) return std::nullopt;
  const std::uint64_t unknown = (std::uint64_t{1} << 7 * length) - 1;
  const std::uint64_t size = big_endian(bytes.substr(0, length)) & unknown;
  bytes.remove_prefix(length);
  return size == unknown ? std::nullopt : std::optional(size);
}

// Reads the header, then the one segment that holds everything else.
std::optional<std::uint64_t> length_of_matroska(Bytes beginning) {
  constexpr Bytes header = "\x1a\x45\xdf\xa3", segment = "\x18\x53\x80\x67";
  Bytes rest = beginning;
  if (!rest.starts_with(header)) return std::nullopt;
  rest.remove_prefix(header.size());
  const auto header_size = take_size(rest);
  if (!header_size || *header_size > rest.size()) return std::nullopt;
  rest.remove_prefix(*header_size);
  if (!rest.starts_with(segment)) return std::nullopt;
  rest.remove_prefix(segment.size());
  const auto size = take_size(rest);
  return size ? std::optional(beginning.size() - rest.size() + *size) : std::nullopt;
}

// Reads a number among the first tag's properties.
std::optional<std::uint64_t> length_of_flv(Bytes beginning) {
  using namespace std::string_view_literals;
  constexpr Bytes key =
      "\0\x08"
      "filesize\0"sv;
  const std::size_t at = beginning.find(key);
  if (at == beginning.npos || beginning.size() < at + key.size() + 8) return std::nullopt;
  const auto size = std::bit_cast<double>(big_endian(beginning.substr(at + key.size(), 8)));
  if (!(size > 0 && size < 0x1p62)) return std::nullopt;  // left open
  return static_cast<std::uint64_t>(size);
}

// Reads the first of perhaps several chunks that hold all others.
std::optional<std::uint64_t> length_of_riff(Bytes beginning) {
  if (!beginning.starts_with("RIFF") || beginning.size() < 8) return std::nullopt;
  const std::uint64_t size = little_endian(beginning.substr(4, 4));
  if (size <= 4 || size == 0xffffffff) return std::nullopt;  // left open
  return 8 + size;
}

}  // namespace

FileEnding judge_ending(std::string_view format, const InputBytes& bytes) {
  if (format == "gif") {
    constexpr int trailer = ';';
    if (bytes.last < 0) return {};
    return {true, bytes.last == trailer ? "" : "its last bytes are missing"};
  }
  const bool avi = format == "avi", flv = format == "flv";
  const auto promised = format.starts_with("matroska") ? length_of_matroska(bytes.beginning)
                        : flv                          ? length_of_flv(bytes.beginning)
                        : avi                          ? length_of_riff(bytes.beginning)
                                                       : std::nullopt;
  if (!promised) return {};
  const auto length = static_cast<std::uint64_t>(bytes.length);
  if (length < *promised)
    return {true, fmt::format("only {} of {} bytes are there", length, *promised)};
  // More chunks, which nobody has announced, may follow.
  if (avi && length > *promised + 1) return {};
  return {true, ""};
}

bool may_end_with(std::string_view format, std::string_view last, std::int64_t behind_packets) {
  if (format == "gxf") {  // the packet that says so (SMPTE ST 360)
    using namespace std::string_view_literals;
    return last.find("\0\0\0\0\1\xfb\0\0\0\x10\0\0\0\0\xe1\xe2"sv) != last.npos;
  }
  // The head in front of a packet counts in its place and size, in one of them, or in neither.
  constexpr std::int64_t head_of_roq = 8, head_of_smjpeg = 12;
  if (format == "roq") return behind_packets == 0 || behind_packets == -head_of_roq;
  const bool smjpeg = format == "smjpeg";
  if (smjpeg) behind_packets -= head_of_smjpeg;
  if (!(smjpeg || format == "mpjpeg") || behind_packets < 0 || behind_packets > std::ssize(last))
    return false;
  Bytes rest = last.substr(last.size() - static_cast<std::size_t>(behind_packets));
  if (smjpeg) return rest.empty() || rest == "DONE";
  // Pictures are separated by this line.
  rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of("\r\n")));
  return rest.empty() || (rest.starts_with("--") && rest.find('\n') + 1 == rest.size());
}

std::optional<int> loops_of(std::string_view format, std::string_view beginning) {
  using namespace std::string_view_literals;
  constexpr Bytes gif = "\x21\xff\x0bNETSCAPE2.0\x03\x01"sv, apng =
                                                                 "\0\0\0\x08"
                                                                 "acTL"sv;
  const auto after = [&](Bytes words) {
    const std::size_t at = beginning.find(words);
    return at == beginning.npos ? Bytes() : beginning.substr(at + words.size());
  };
  if (format == "gif") {
    const Bytes count = after(gif).substr(0, 2);
    return count.empty() ? -1 : static_cast<int>(little_endian(count));
  }
  if (format != "apng") return std::nullopt;
  // The number of times that it is shown at all follows the number of frames.
  const Bytes counts = after(apng);
  if (counts.size() < 8) return std::nullopt;
  const auto plays = std::min<std::uint64_t>(big_endian(counts.substr(4, 4)), 0xffff);
  return plays == 0 ? 0 : plays == 1 ? -1 : static_cast<int>(plays) - 1;
}

}  // namespace vidconv
