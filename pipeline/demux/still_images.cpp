#include "pipeline/demux/still_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "pipeline/av/video.h"

namespace vidconv {
namespace {

constexpr const char* remedy = "save it as PNG";
constexpr std::string_view brands[] = {"heic", "heix", "heim", "heis", "mif1", "msf1", "avif"};

// Returns what the first box of that type holds, of `boxes` that follow each other.
std::string_view box(std::string_view boxes, std::string_view type) {
  constexpr std::size_t head = 8;
  while (boxes.size() >= head) {
    std::size_t size = 0;
    for (const char byte : boxes.substr(0, 4)) size = size << 8 | static_cast<unsigned char>(byte);
    size = std::min(size, boxes.size());
    if (size < head) break;
    if (boxes.substr(4, type.size()) == type) return boxes.substr(head, size - head);
    boxes.remove_prefix(size);
  }
  return {};
}

std::string first_bytes(AVIOContext* from) {
  std::string bytes;
  if (!from || !(from->seekable & AVIO_SEEKABLE_NORMAL)) return bytes;
  constexpr int enough = 1 << 16;  // properties lie ahead of what is coded
  const std::int64_t at = avio_tell(from);
  if (avio_seek(from, 0, SEEK_SET) == 0) {
    bytes.resize(enough);
    const int got = avio_read(from, reinterpret_cast<unsigned char*>(bytes.data()), enough);
    bytes.resize(static_cast<std::size_t>(std::max(got, 0)));
  }
  avio_seek(from, at, SEEK_SET);
  return bytes;
}

}  // namespace

std::string unread_still(std::string_view beginning) {
  const auto at = [&](std::size_t from, std::size_t size) {
    return from < beginning.size() ? beginning.substr(from, size) : std::string_view();
  };
  constexpr std::size_t flags = 20;
  constexpr int animated = 2;
  const bool webp = at(0, 4) == "RIFF" && at(8, 8) == "WEBPVP8X" && beginning.size() > flags;
  if (webp && (beginning[flags] & animated))
    return fmt::format("it is an animated WebP, which this FFmpeg does not decode; {} or GIF",
                       remedy);
  if (at(4, 4) == "ftyp" && std::ranges::find(brands, at(8, 4)) != std::end(brands))
    return fmt::format(
        "it is a picture in HEIC or AVIF, of a kind that this FFmpeg does not decode; {}", remedy);
  return {};
}

void refuse_tiles(const AVFormatContext& container, const std::string& name) {
#if LIBAVFORMAT_VERSION_MAJOR >= 61
  for (unsigned i = 0; i < container.nb_stream_groups; ++i) {
    const AVStreamGroup& group = *container.stream_groups[i];
    if (group.type != AV_STREAM_GROUP_PARAMS_TILE_GRID || group.params.tile_grid->nb_tiles < 2)
      continue;
    const AVStreamGroupTileGrid& grid = *group.params.tile_grid;
    throw Error(MessageKind::input_unreadable, "cannot read the input", name,
                fmt::format("it is a picture of {}x{} in {} tiles, which are not put together",
                            grid.width, grid.height, grid.nb_tiles),
                remedy);
  }
#else
  static_cast<void>(container);
  static_cast<void>(name);
#endif
}

void turn_still(AVFormatContext& container) {
  const AVDictionaryEntry* brand = av_dict_get(container.metadata, "major_brand", nullptr, 0);
  if (!brand || std::ranges::find(brands, brand->value) == std::end(brands)) return;
  const std::string beginning = first_bytes(container.pb);
  std::string_view meta = box(beginning, "meta");
  meta.remove_prefix(std::min<std::size_t>(meta.size(), 4));  // its version and flags
  const std::string_view properties = box(box(meta, "iprp"), "ipco");
  const std::string_view turn = box(properties, "irot"), mirror = box(properties, "imir");
  Orientation shown;
  for (int quarter = turn.empty() ? 0 : turn[0] & 3; quarter > 0; --quarter)  // against the clock
    shown = {shown.b, -shown.a, shown.d, -shown.c};
  if (!mirror.empty())
    shown = mirror[0] & 1 ? Orientation{-shown.a, shown.b, -shown.c, shown.d}
                          : Orientation{shown.a, -shown.b, shown.c, -shown.d};
  if (shown.is_upright()) return;
  const auto matrix = display_matrix(shown);
  for (unsigned i = 0; i < container.nb_streams; ++i) {
    AVStream& stream = *container.streams[i];
    if (stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
        side_data(stream, AV_PKT_DATA_DISPLAYMATRIX).empty())
      set_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, matrix.data(), sizeof matrix);
  }
}

}  // namespace vidconv
