#include "kernels/spec/place_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "kernels/picture/rects.h"

namespace vidconv {
namespace {

constexpr long longest_side = 1 << 24;  // pixels; no picture has as many
constexpr std::size_t most_regions = 1000;
constexpr long longest_feather = 1000;  // pixels

}  // namespace

void PlaceSpec::set_edges(std::shared_ptr<const FilterSpec> filter, std::size_t at) {
  edges_ = std::move(filter);
  mask_at_ = at;
}

void PlaceSpec::set_mask_video(std::string path, std::size_t at) {
  mask_video_ = std::move(path);
  mask_at_ = at;
}

bool PlaceSpec::has_key(std::string_view key) {
  return key == "region" || key == "invert" || key == "feather";
}

void PlaceSpec::set_mask(const GreyPicture& picture, std::size_t at) {
  Weights weights(picture.width, picture.height);
  auto level = picture.levels.begin();
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x, ++level)
      weights.row(y)[x] = static_cast<std::uint8_t>((*level * 255 + picture.max / 2) / picture.max);
  mask_ = std::make_shared<const Weights>(std::move(weights));
  mask_at_ = at;
}

void PlaceSpec::read(Cursor& c, std::string_view key) {
  if (key == "invert") {
    invert_at_ = c.position();
    invert_ = c.zero_or_one();
    return;
  }
  if (key == "feather") {
    feather_at_ = c.position();
    feather_ = static_cast<int>(c.whole("feather", 0, longest_feather));
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

void PlaceSpec::read_tilt(Cursor& c) {
  Tilt tilt{.at = c.position()};
  for (const auto& [key, length, least] :
       {std::tuple{"y=", &tilt.y, 0L}, {"height=", &tilt.height, 1L}}) {
    if (!c.accept(key)) c.fail_here(fmt::format("'{}', as in y=40%,height=20%,blur=12", key));
    *length =
        read_length(c, std::string_view(key).substr(0, std::string_view(key).size() - 1), least);
    if (!c.accept(',')) c.fail_here(fmt::format("',' after {}", key));
  }
  if (tilt.y.percent && tilt.height.percent && tilt.y.value + tilt.height.value > 100)
    c.fail(fmt::format("{}% and {}% from there are beyond the picture's height", tilt.y.value,
                       tilt.height.value),
           tilt.at);
  tilt_ = tilt;
}

// Returns the map that grows evenly from the sharp rows to the farther edge.
Weights PlaceSpec::tilted(int width, int height, const std::string& text) const {
  const Region band{
      .at = tilt_->at, .x = {}, .y = tilt_->y, .width = {100, true}, .height = tilt_->height};
  const Rect sharp = rect_of(band, width, height, text);
  const int far = std::max({1, sharp.y, height - sharp.bottom()});
  Weights map(width, height);
  for (int y = 0; y < height; ++y) {
    const int away = std::max({0, sharp.y - y, y - sharp.bottom() + 1});
    map.fill({0, y, width, 1}, static_cast<std::uint8_t>((255 * away + far / 2) / far));
  }
  return map;
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
  if (level_ && (invert_ || feather_ > 0))
    c.fail(fmt::format("a map says how much everywhere: it takes no {}",
                       invert_ ? "invert" : "feather"),
           invert_ ? invert_at_ : feather_at_);
  if (!everywhere()) return;
  if (invert_)
    c.fail("invert=1 needs a region or a mask, everywhere but where the filter acts", invert_at_);
  if (feather_ > 0)
    c.fail("feather needs a region or a mask, whose edges are softened", feather_at_);
}

int PlaceSpec::Length::pixels(int of) const {
  return static_cast<int>(percent ? std::floor(value * of / 100 + 0.5) : value);
}

Rect PlaceSpec::rect_of(const Region& region, int width, int height, const std::string& text) {
  // Neighbouring regions in percent meet, whatever the picture's size.
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

Weights PlaceSpec::weights_of(const Weights& mask, std::span<const Rect> rects) const {
  Weights weights(mask.width(), mask.height());
  for (const Rect& rect : rects)
    for (int y = rect.y; y < rect.bottom(); ++y)
      std::copy_n(mask.row(y) + rect.x, rect.width, weights.row(y) + rect.x);
  if (level_ && level_->number > 0) {
    for (int y = 0; y < weights.height(); ++y)
      for (int x = 0; x < weights.width(); ++x)
        weights.row(y)[x] = static_cast<std::uint8_t>(level_->weight_at(weights.row(y)[x]));
    return weights;
  }
  weights.feather(feather_);
  if (invert_) weights.invert();
  return weights;
}

// Returns the weights of the shown picture of that size, where they are the same in each picture.
Weights PlaceSpec::fixed_weights(std::span<const Rect> seen, int width, int height,
                                 const std::string& text) const {
  if (mask_ && (mask_->width() != width || mask_->height() != height))
    throw SpecError(
        text, mask_at_ + 1,
        fmt::format("the {} is {}x{}, and the picture is {}x{}", level_ ? "map" : "mask",
                    mask_->width(), mask_->height(), width, height));
  const Rect all{0, 0, width, height};
  if (tilt_)
    return weights_of(tilted(width, height, text), seen.empty() ? std::span(&all, 1) : seen);
  Weights white(width, height);
  if (!mask_) white.fill(all, 255);
  return weights_of(mask_ ? *mask_ : white, seen.empty() ? std::span(&all, 1) : seen);
}

PicturePart PlaceSpec::part_of(int width, int height, const Orientation& shown,
                               const std::string& text) const {
  int seen_width = width, seen_height = height;
  if (shown.swaps()) std::swap(seen_width, seen_height);
  std::vector<Rect> seen;
  for (const Region& region : regions_)
    seen.push_back(rect_of(region, seen_width, seen_height, text));
  PicturePart part;
  if (has_masks()) {
    if (seen.empty()) seen.push_back({0, 0, seen_width, seen_height});
    for (Rect& rect : seen) rect = stored_rect(rect, shown, width, height);
    part.rects = disjoint(seen);
    return part;
  }
  if (mask_ || tilt_ || feather_ > 0) {
    part.weights =
        stored_weights(fixed_weights(seen, seen_width, seen_height, text), shown, width, height);
  } else {
    for (Rect& rect : seen) rect = stored_rect(rect, shown, width, height);
    part.rects = invert_ ? outside(seen, width, height) : disjoint(seen);
  }
  // A level may be nowhere, but not the map.
  if (level_ && level_->number > 0) {
    PlaceSpec map = *this;
    map.level_->number = 0;
    map.part_of(width, height, shown, text);
  } else if (part.pixels() == 0) {
    if (tilt_) throw SpecError(text, tilt_->at + 1, "nothing is left to blur: all of it is sharp");
    throw SpecError(text, (invert_ ? invert_at_ : mask_at_) + 1,
                    invert_  ? "invert=1 leaves nothing of the picture"
                    : level_ ? "the map is black"
                             : "the mask is black");
  }
  return part;
}

double PicturePart::pixels() const {
  double sum = 0;
  for (const Rect& rect : rects) sum += static_cast<double>(rect.width) * rect.height;
  if (!weights) return sum;
  for (int y = 0; y < weights->height(); ++y)
    sum += std::accumulate(weights->row(y), weights->row(y) + weights->width(), 0) / 255.0;
  return sum;
}

Weights stored_weights(const Weights& seen, const Orientation& shown, int width, int height) {
  if (shown.is_upright()) return seen;
  Weights stored(width, height);
  for (int y = 0; y < seen.height(); ++y)
    for (int x = 0; x < seen.width(); ++x)
      stored.fill(stored_rect({x, y, 1, 1}, shown, width, height), seen.row(y)[x]);
  return stored;
}

Rect stored_rect(const Rect& seen, const Orientation& shown, int width, int height) {
  // Returns a place along a stored axis: as shown, or from the other end.
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
