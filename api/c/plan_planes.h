// Checks the planes of the caller's pictures before anything reads or writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/filter/picture_filter.h"

namespace vidconv {

// The requirements for planes of one format and size. One thread at a time may call check().
class PlanesInMemory {
 public:
  // `half`: the caller's samples are half floats where the format has floats. Throws Error(usage)
  // if a picture has no pixels or too many.
  PlanesInMemory(const PixelFormat& format, int width, int height, bool half = false);

  const std::vector<PlaneExtent>& extents() const { return extents_; }

  // Check the arguments of vidconv_plan_run(), or those of one picture of a window. Throw
  // Error(usage); otherwise check() allocates nothing.
  void check_count(std::size_t planes) const;
  void check(std::span<const PlaceOfPlane> from, std::span<const PlaceOfPlane> to);
  void check_plane(const PlaceOfPlane& plane, std::size_t p, const char* argument) const;

 private:
  struct Range {
    std::uintptr_t begin, end;  // addresses, including the gaps between rows
    bool written;
    const PlaceOfPlane* plane;
    std::size_t number;
  };
  Range range_of(const PlaceOfPlane& plane, std::size_t p, bool written) const;
  bool overlap(const Range& a, const Range& b) const;

  std::vector<PlaneExtent> extents_;
  std::vector<Range> ranges_;  // scratch memory of check()
};

}  // namespace vidconv
