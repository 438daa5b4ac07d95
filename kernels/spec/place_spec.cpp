#include "kernels/spec/place_spec.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "kernels/picture/rects.h"

namespace vidconv {
namespace {

constexpr long longest_side = 1 << 24;  // pixels; no picture has as many
constexpr std::size_t most_regions = 1000;

}  // namespace

bool PlaceSpec::has_key(std::string_view key) { return key == "region" || key == "invert"; }

void PlaceSpec::read(Cursor& c, std::string_view key) {
  if (key == "invert") {
    invert_at_ = c.position();
    invert_ = c.zero_or_one();
    return;
  }
  regions_.clear();
  do {
    Region region{.at = c.position()};
    const auto comma = [&](const char* between) {
      if (!c.accept(',')) c.fail_here(fmt::format("',' between the region's {}", between));
    };
    region.x = read_length(c, "the region's x", 0);
    comma("x and y");
    region.y = read_length(c, "the region's y", 0);
    comma("y and width");
    region.width = read_length(c, "the region's width", 1);
    comma("width and height");
    region.height = read_length(c, "the region's height", 1);
    check_percent(c, region);
    if (regions_.size() == most_regions)
      c.fail(fmt::format("a filter takes at most {} regions", most_regions), region.at);
    regions_.push_back(region);
  } while (c.accept(';'));
}

PlaceSpec::Length PlaceSpec::read_length(Cursor& c, std::string_view what, long min) {
  const std::size_t start = c.position();
  Length length{c.number(0, static_cast<double>(longest_side)), false};
  length.percent = c.accept('%');
  if (length.percent && length.value > 100)
    c.fail(fmt::format("{} is {}% of the picture, more than all of it", what, length.value), start);
  if (length.percent && min > 0 && length.value == 0)
    c.fail(fmt::format("{} must be more than 0%", what), start);
  if (!length.percent) {
    c.go_to(start);
    length.value = static_cast<double>(c.whole(what, min, longest_side));
  }
  return length;
}

void PlaceSpec::check_percent(const Cursor& c, const Region& region) {
  const auto check = [&](const Length& from, const Length& size, const char* what) {
    if (from.percent && size.percent && from.value + size.value > 100)
      c.fail(fmt::format("{}% and {}% from there are beyond the picture's {}", from.value,
                         size.value, what),
             region.at);
  };
  check(region.x, region.width, "width");
  check(region.y, region.height, "height");
}

void PlaceSpec::check(const Cursor& c) const {
  if (invert_ && regions_.empty())
    c.fail("invert=1 needs a region, everywhere but which the filter acts", invert_at_);
}

int PlaceSpec::Length::pixels(int of) const {
  return static_cast<int>(percent ? std::floor(value * of / 100 + 0.5) : value);
}

Rect PlaceSpec::rect_of(const Region& region, int width, int height, const std::string& text) {
  // Neighbours in percent meet, whatever the picture's size.
  const auto end = [](const Length& from, const Length& size, int of) {
    if (from.percent && size.percent) return Length{from.value + size.value, true}.pixels(of);
    return from.pixels(of) + size.pixels(of);
  };
  const Rect rect =
      rect_between(region.x.pixels(width), region.y.pixels(height),
                   end(region.x, region.width, width), end(region.y, region.height, height));
  if (rect.right() > width || rect.bottom() > height)
    throw SpecError(text, region.at + 1,
                    fmt::format("the region ends at {},{}, and the picture is {}x{}", rect.right(),
                                rect.bottom(), width, height));
  if (rect.empty())
    throw SpecError(text, region.at + 1,
                    fmt::format("the region holds no pixel of a picture of {}x{}", width, height));
  return rect;
}

std::vector<Rect> PlaceSpec::part_of(int width, int height, const Orientation& shown,
                                     const std::string& text) const {
  int seen_width = width, seen_height = height;
  if (shown.swaps()) std::swap(seen_width, seen_height);
  std::vector<Rect> rects;
  for (const Region& region : regions_)
    rects.push_back(
        stored_rect(rect_of(region, seen_width, seen_height, text), shown, width, height));
  std::vector<Rect> part = invert_ ? outside(rects, width, height) : disjoint(rects);
  if (part.empty())
    throw SpecError(text, invert_at_ + 1, "the regions cover the picture: invert=1 leaves nothing");
  return part;
}

Rect stored_rect(const Rect& seen, const Orientation& shown, int width, int height) {
  // Along a stored axis: as seen, or from the other end.
  const auto from = [](int direction, int at, int size, int of) {
    return direction > 0 ? at : of - at - size;
  };
  if (shown.swaps())
    return {from(shown.b, seen.y, seen.height, width), from(shown.c, seen.x, seen.width, height),
            seen.height, seen.width};
  return {from(shown.a, seen.x, seen.width, width), from(shown.d, seen.y, seen.height, height),
          seen.width, seen.height};
}

}  // namespace vidconv
