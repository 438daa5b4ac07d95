// The planes of pictures that others hold in memory, checked before anything looks at them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/filter/picture_filter.h"

namespace vidconv {

// What the planes of one format and size have to be like. check() belongs to one thread at a time.
class PlanesInMemory {
 public:
  // Throws Error(usage) where a picture has no pixels or too many.
  PlanesInMemory(const PixelFormat& format, int width, int height);

  const std::vector<PlaneExtent>& extents() const { return extents_; }

  // As vidconv_plan_run() takes them. Throw Error(usage); the second allocates nothing otherwise.
  void check_count(std::size_t planes) const;
  void check(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to);
  void check_plane(const PlaceOfPlane& plane, std::size_t p, const char* argument) const;

 private:
  struct Range {
    std::uintptr_t begin, end;  // addresses of the samples and of what lies between rows
    bool written;
    const PlaceOfPlane* plane;
    std::size_t number;
  };
  Range range_of(const PlaceOfPlane& plane, std::size_t p, bool written) const;
  bool overlap(const Range& a, const Range& b) const;

  std::vector<PlaneExtent> extents_;
  std::vector<Range> ranges_;  // of the pictures being checked
};

}  // namespace vidconv
