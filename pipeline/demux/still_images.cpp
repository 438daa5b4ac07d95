#include "pipeline/demux/still_images.h"

#include <fmt/format.h>

#include <algorithm>

namespace vidconv {
namespace {

constexpr const char* remedy = "save it as PNG";

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
  constexpr std::string_view brands[] = {"heic", "heix", "heim", "heis", "mif1", "msf1", "avif"};
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

}  // namespace vidconv
