#include "pipeline/encode/palette.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace vidconv {
namespace {

constexpr std::size_t most_colours = 256;
constexpr std::uint32_t transparent = 0;

// Orders the pixels of an 8x8 block for dithering (Bayer 1973).
constexpr std::array<std::array<int, 8>, 8> order = [] {
  std::array<std::array<int, 8>, 8> all{};
  for (unsigned y = 0; y < 8; ++y)
    for (unsigned x = 0; x < 8; ++x)
      for (unsigned bit = 0; bit < 3; ++bit)
        all[y][x] |=
            static_cast<int>((((x ^ y) >> bit & 1) << 1 | (y >> bit & 1)) << (4 - 2 * bit));
  return all;
}();
// Returns what is added to a pixel: -8 to 7 of 255, about half the distance of colours in a
// palette.
int dither(int x, int y) { return order[y & 7][x & 7] / 4 - 8; }

std::uint32_t argb(const std::uint8_t* rgba) {
  if (rgba[3] < 128) return transparent;
  return 0xff000000U | static_cast<std::uint32_t>(rgba[0] << 16 | rgba[1] << 8 | rgba[2]);
}

}  // namespace

FramePtr PaletteMaker::reduce(const AVFrame& picture) {
  const bool exact = count(picture);
  if (!exact) cut();

  FramePtr reduced = make_frame();
  reduced->format = AV_PIX_FMT_PAL8;
  reduced->width = picture.width;
  reduced->height = picture.height;
  check_av(av_frame_get_buffer(reduced.get(), 0), Fault::internal, "cannot keep a picture");
  copy_properties(picture, *reduced);
  for (int y = 0; y < picture.height; ++y) {
    const std::uint8_t* from = picture.data[0] + std::ptrdiff_t{picture.linesize[0]} * y;
    std::uint8_t* to = reduced->data[0] + std::ptrdiff_t{reduced->linesize[0]} * y;
    for (int x = 0; x < picture.width; ++x, from += 4) {
      const std::uint32_t colour = argb(from);
      if (exact || colour == transparent) {
        const auto at = std::ranges::lower_bound(colours_, colour);
        to[x] = static_cast<std::uint8_t>(at - colours_.begin());
      } else {
        const int by = dither(x, y);
        to[x] = nearest(from[0] + by, from[1] + by, from[2] + by);
      }
    }
  }
  set_palette(*reduced);
  return reduced;
}

void PaletteMaker::set_palette(AVFrame& reduced) {
  std::vector<std::uint32_t> palette = colours_;
  palette.resize(most_colours, 0xff000000U);
  if (first_.empty()) first_ = palette;
  if (palette != first_) others_ = true;
  // libavcodec's encoder leaves out pixels that have the same index as in the picture before
  // whenever the palette equals the first one, even if that picture's differed. So the first
  // palette must never come again.
  if (palette == first_ && others_) {
    std::swap(palette[most_colours - 2], palette[most_colours - 1]);
    if (palette == first_) palette.back() ^= 1;  // no pixel uses these two
    for (int y = 0; y < reduced.height; ++y) {
      std::uint8_t* row = reduced.data[0] + std::ptrdiff_t{reduced.linesize[0]} * y;
      for (int x = 0; x < reduced.width; ++x)
        if (row[x] >= most_colours - 2) row[x] ^= 1;
    }
  }
  std::memcpy(reduced.data[1], palette.data(), palette.size() * sizeof palette[0]);
}

// Returns whether all colours fit into the palette, which then holds them, sorted. Otherwise counts
// them by cells, and leaves at most the transparent colour in the palette.
bool PaletteMaker::count(const AVFrame& picture) {
  colours_.clear();
  counted_.assign(cells, {});
  bool exact = true, see_through = false;
  std::uint32_t last = 1;  // not a colour
  for (int y = 0; y < picture.height; ++y) {
    const std::uint8_t* rgba = picture.data[0] + std::ptrdiff_t{picture.linesize[0]} * y;
    for (int x = 0; x < picture.width; ++x, rgba += 4) {
      const std::uint32_t colour = argb(rgba);
      if (exact && colour != last) {
        const auto at = std::ranges::lower_bound(colours_, colour);
        if (at == colours_.end() || *at != colour) colours_.insert(at, colour);
        exact = colours_.size() <= most_colours;
      }
      last = colour;
      see_through |= colour == transparent;
      if (colour == transparent) continue;
      Cell& cell = counted_[static_cast<std::size_t>((rgba[0] >> 3) << 10 | (rgba[1] >> 3) << 5 |
                                                     rgba[2] >> 3)];
      for (std::size_t c = 0; c < 3; ++c) cell.sum[c] += rgba[c];
      ++cell.count;
    }
  }
  if (exact) return true;
  colours_.clear();
  if (see_through) colours_.push_back(transparent);
  return false;
}

PaletteMaker::Box PaletteMaker::measure(std::span<Cell> part) {
  Box box{.cells = part};
  for (std::size_t c = 0; c < 3; ++c) {
    double count = 0, sum = 0, squares = 0;
    for (const Cell& cell : part) {
      const auto n = static_cast<double>(cell.count);
      count += n;
      sum += cell.mean(c) * n;
      squares += cell.mean(c) * cell.mean(c) * n;
    }
    const double spread = squares - sum * sum / count;
    if (spread > box.spread) box.spread = spread, box.axis = c;
  }
  return box;
}

void PaletteMaker::cut() {
  const auto end = std::partition(counted_.begin(), counted_.end(),
                                  [](const Cell& cell) { return cell.count > 0; });
  std::vector<Box> boxes{measure({counted_.begin(), end})};
  while (boxes.size() + colours_.size() < most_colours) {
    const auto widest = std::ranges::max_element(
        boxes, {}, [](const Box& box) { return box.can_split() ? box.spread : -1; });
    if (!widest->can_split()) break;
    const Box box = *widest;
    std::ranges::sort(box.cells, {}, [&](const Cell& cell) { return cell.mean(box.axis); });
    std::int64_t all = 0, before = 0;
    for (const Cell& cell : box.cells) all += cell.count;
    std::size_t half = 0;
    while (half + 1 < box.cells.size() && 2 * before < all) before += box.cells[half++].count;
    *widest = measure(box.cells.first(half));
    boxes.push_back(measure(box.cells.subspan(half)));
  }
  for (const Box& box : boxes) {
    Cell whole;
    for (const Cell& cell : box.cells) {
      for (std::size_t c = 0; c < 3; ++c) whole.sum[c] += cell.sum[c];
      whole.count += cell.count;
    }
    const auto code = [&](std::size_t c) {
      return static_cast<std::uint32_t>(std::lround(whole.mean(c)));
    };
    colours_.push_back(0xff000000U | code(0) << 16 | code(1) << 8 | code(2));
  }
  nearest_.assign(cells, -1);
}

// Returns the colour nearest to the middle of the pixel's cell.
std::uint8_t PaletteMaker::nearest(int red, int green, int blue) {
  const auto cell_of = [](int code) { return std::clamp(code, 0, 255) >> (8 - bits); };
  const int r = cell_of(red), g = cell_of(green), b = cell_of(blue);
  std::int16_t& found = nearest_[static_cast<std::size_t>((r << bits | g) << bits | b)];
  if (found >= 0) return static_cast<std::uint8_t>(found);
  const auto middle = [](int cell) { return cell * 8 + 4; };
  int least = 1 << 30;
  for (std::size_t i = 0; i < colours_.size(); ++i) {
    if (colours_[i] == transparent) continue;
    const int dr = static_cast<int>(colours_[i] >> 16 & 255) - middle(r);
    const int dg = static_cast<int>(colours_[i] >> 8 & 255) - middle(g);
    const int db = static_cast<int>(colours_[i] & 255) - middle(b);
    const int distance = dr * dr + dg * dg + db * db;
    if (distance < least) least = distance, found = static_cast<std::int16_t>(i);
  }
  return static_cast<std::uint8_t>(found);
}

}  // namespace vidconv
