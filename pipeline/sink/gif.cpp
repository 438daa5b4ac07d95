#include "pipeline/sink/gif.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace vidconv {
namespace {

// Returns an extension of type 0xFE: blocks of up to 255 bytes, each after its length, and an empty
// one.
std::string comment_extension(std::string_view comment) {
  constexpr std::size_t most = 255;
  std::string bytes = "\x21\xfe";
  while (!comment.empty()) {
    const std::string_view block = comment.substr(0, most);
    bytes += static_cast<char>(block.size());
    bytes += block;
    comment.remove_prefix(block.size());
  }
  return bytes + '\0';
}

// Returns the size of the signature, the screen's size, and the global palette where there is one.
std::size_t header_size(std::string_view data) {
  constexpr std::size_t screen = 13;
  if (!data.starts_with("GIF8") || data.size() < screen) return 0;
  const auto flags = static_cast<unsigned char>(data[10]);
  const std::size_t palette = flags & 0x80 ? 3U << ((flags & 7) + 1) : 0;
  return std::min(screen + palette, data.size());
}

}  // namespace

void add_gif_comment(AVPacket& first, std::string_view comment) {
  const auto size = static_cast<std::size_t>(first.size);
  const std::size_t header = header_size({reinterpret_cast<const char*>(first.data), size});
  if (header == 0) return;
  const std::string extension = comment_extension(comment);
  if (av_grow_packet(&first, static_cast<int>(extension.size())) < 0)
    throw_out_of_memory("for a comment");
  std::uint8_t* at = first.data + header;
  std::memmove(at + extension.size(), at, size - header);
  std::ranges::copy(extension, at);
}

}  // namespace vidconv
