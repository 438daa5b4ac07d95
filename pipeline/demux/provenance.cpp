#include "pipeline/demux/provenance.h"

#include <string_view>

#include "pipeline/base/number_bytes.h"

namespace vidconv {
namespace {

using Bytes = std::string_view;
using namespace std::string_view_literals;

// C2PA 2.1, A.5.1 (a box of MP4) and 11.1.4.2 (a store of manifests, in any format), defines these.
constexpr Bytes box_of_manifest =
    "\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81"sv;
constexpr Bytes manifest_store = "jumdc2pa\x00\x11\x00\x10\x80\x00\x00\xaa\x00\x38\x9b\x71"sv;
// A live stream has a few boxes a second.
constexpr int most_boxes = 100'000;
constexpr std::size_t beginning = 256 << 10;

bool in_boxes(const BytesAt& read) {
  constexpr std::size_t longest_head = 16;
  std::int64_t at = 0;
  for (int i = 0; i < most_boxes; ++i) {
    const std::string head = read(at, longest_head + box_of_manifest.size());
    if (head.size() < longest_head) return false;
    std::uint64_t size = big_endian(Bytes(head).substr(0, 4));
    const bool is_long = size == 1;
    if (is_long) size = big_endian(Bytes(head).substr(8, 8));
    const std::size_t length = is_long ? 16 : 8;
    if (Bytes(head).substr(4, 4) == "uuid" &&
        Bytes(head).substr(length, box_of_manifest.size()) == box_of_manifest)
      return true;
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    if (size < length || size > most - static_cast<std::uint64_t>(at)) return false;  // to the end
    at += static_cast<std::int64_t>(size);
  }
  return false;
}

bool in_chunks(const BytesAt& read) {
  std::int64_t at = 12;
  for (int i = 0; i < most_boxes; ++i) {
    const std::string head = read(at, 8);
    if (head.size() < 8) return false;
    if (head.starts_with("C2PA")) return true;
    const auto size = static_cast<std::int64_t>(little_endian(Bytes(head).substr(4, 4)));
    at += 8 + size + size % 2;
  }
  return false;
}

}  // namespace

bool has_manifest(const BytesAt& read) {
  const std::string head = read(0, 12);
  if (head.starts_with("RIFF")) return in_chunks(read);
  for (const Bytes first : {"ftyp", "moov", "mdat", "wide", "free", "skip", "uuid"})
    if (head.size() == 12 && Bytes(head).substr(4, 4) == first) return in_boxes(read);
  return read(0, beginning).find(manifest_store) != std::string::npos;
}

}  // namespace vidconv
