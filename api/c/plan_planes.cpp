#include "api/c/plan_planes.h"

#include <algorithm>
#include <string>

#include "api/c/call.h"
#include "pipeline/av/frame_layout.h"

namespace vidconv {
namespace {

constexpr std::int64_t largest_plane = std::int64_t{1} << 31;  // bytes, FFmpeg's limit as well

[[noreturn]] void refuse_plane(const char* argument, std::size_t p, const std::string& why) {
  refuse_argument(argument, "plane " + std::to_string(p) + " " + why);
}

}  // namespace

PlanesInMemory::PlanesInMemory(const PixelFormat& format, int width, int height, bool half) {
  check_picture_size(width, height, format.id, default_max_pixels, Fault::usage,
                     "cannot make a plan for", "width and height");
  extents_ = extents_of_planes(format, width, height);
  for (PlaneExtent& extent : extents_) {
    if (extent.row_bytes > largest_plane / extent.rows)
      throw Error(Fault::usage, "cannot make a plan for", "width and height",
                  "a plane would have 2 GiB or more", "cut the picture");
    if (half) {
      extent.row_bytes /= 2;
      extent.sample_bytes /= 2;
    }
  }
  ranges_.reserve(2 * extents_.size());
}

void PlanesInMemory::check_count(std::size_t planes) const {
  if (planes != extents_.size())
    refuse_argument("planes", std::to_string(planes) + " are given, and a picture has " +
                                  std::to_string(extents_.size()));
}

void PlanesInMemory::check_plane(const PlaceOfPlane& plane, std::size_t p,
                                 const char* argument) const {
  const PlaneExtent& extent = extents_[p];
  if (!plane.data) refuse_plane(argument, p, "is NULL");
  const auto address = reinterpret_cast<std::uintptr_t>(plane.data);
  if (address % static_cast<std::uintptr_t>(extent.sample_bytes) != 0 ||
      plane.stride % extent.sample_bytes != 0)
    refuse_plane(argument, p, "does not begin at a whole sample, in each row");
  if (extent.rows == 1) return;
  if (std::abs(static_cast<double>(plane.stride)) < static_cast<double>(extent.row_bytes))
    refuse_plane(argument, p,
                 "has a stride of " + std::to_string(plane.stride) + " bytes, and a row has " +
                     std::to_string(extent.row_bytes));
  std::ptrdiff_t last = 0;  // offset of the last row
  std::uintptr_t end = 0;
  const bool upwards = plane.stride > 0;
  if (__builtin_mul_overflow(plane.stride, static_cast<std::ptrdiff_t>(extent.rows - 1), &last) ||
      (upwards ? __builtin_add_overflow(address, static_cast<std::uintptr_t>(last), &end)
               : __builtin_sub_overflow(address, -static_cast<std::uintptr_t>(last), &end)) ||
      __builtin_add_overflow(std::max(end, address), static_cast<std::uintptr_t>(extent.row_bytes),
                             &end))
    refuse_plane(argument, p, "reaches beyond all memory");
}

PlanesInMemory::Range PlanesInMemory::range_of(const PlaceOfPlane& plane, std::size_t p,
                                               bool written) const {
  const PlaneExtent& extent = extents_[p];
  const auto first = reinterpret_cast<std::uintptr_t>(plane.data);
  const auto last =
      first + static_cast<std::uintptr_t>(extent.rows == 1 ? 0 : plane.stride * (extent.rows - 1));
  return {.begin = std::min(first, last),
          .end = std::max(first, last) + static_cast<std::uintptr_t>(extent.row_bytes),
          .written = written,
          .plane = &plane,
          .number = p};
}

// If both have the same stride, the rows of one may lie between those of the other: the halves of
// one array, side by side.
bool PlanesInMemory::overlap(const Range& a, const Range& b) const {
  if (!(a.written || b.written) || a.end <= b.begin || b.end <= a.begin) return false;
  const auto stride = static_cast<std::uintptr_t>(std::abs(a.plane->stride));
  if (std::abs(b.plane->stride) != std::abs(a.plane->stride) || stride == 0 ||
      extents_[a.number].rows == 1 || extents_[b.number].rows == 1)
    return true;
  const std::uintptr_t a_to_b = (b.begin - a.begin) % stride, b_to_a = (a.begin - b.begin) % stride;
  const auto bytes = [&](const Range& r) {
    return static_cast<std::uintptr_t>(extents_[r.number].row_bytes);
  };
  if (b.begin >= a.begin) return a_to_b < bytes(a) || a_to_b + bytes(b) > stride;
  return b_to_a < bytes(b) || b_to_a + bytes(a) > stride;
}

void PlanesInMemory::check(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to) {
  ranges_.clear();
  for (std::size_t p = 0; p < extents_.size(); ++p) {
    check_plane(from[p], p, "from");
    check_plane(to[p], p, "to");
    ranges_.push_back(range_of(from[p], p, false));
    ranges_.push_back(range_of(to[p], p, true));
  }
  // Sorting by begin spares most comparisons.
  std::ranges::sort(ranges_, {}, &Range::begin);
  for (std::size_t i = 0; i < ranges_.size(); ++i)
    for (std::size_t j = i + 1; j < ranges_.size() && ranges_[j].begin < ranges_[i].end; ++j)
      if (overlap(ranges_[i], ranges_[j])) {
        const Range& written = ranges_[i].written ? ranges_[i] : ranges_[j];
        refuse_plane("to", written.number,
                     ranges_[i].written && ranges_[j].written
                         ? "overlaps another one that is written"
                         : "overlaps one that is read: a picture cannot be filtered in place");
      }
}

}  // namespace vidconv
