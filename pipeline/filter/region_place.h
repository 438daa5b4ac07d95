// Where in the planes of a step it acts, which says so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/picture/rect.h"
#include "kernels/picture/weights.h"
#include "pipeline/region/boxes.h"
#include "pipeline/work/work.h"

namespace vidconv {

struct RegionPiece {
  Rect rect;
  // Of its samples: where the first one lies among all weights, and how far it is to the next row.
  // -1: all are 255.
  std::ptrdiff_t weights = -1, stride = 0;

  // Those, where all weights lie from `all` on.
  Plane<const std::uint8_t> weights_in(const std::uint8_t* all) const {
    return {.data = all + weights, .stride = stride, .width = rect.width, .height = rect.height};
  }
};

// What is filtered of a plane (0) and of each of its fields (1, 2). No sample is in two pieces.
struct RegionPieces {
  std::array<std::vector<RegionPiece>, 3> planes;
  std::vector<std::uint8_t> weights;  // of all pieces

  void clear();
};

// `which`: 0 for the plane, 1 and 2 for its fields.
template <class T>
Plane<T> rows_of(const Plane<T>& plane, std::size_t which) {
  return which == 0 ? plane : field_of(plane, static_cast<int>(which) - 1);
}
Rect rows_of(const Rect& r, std::size_t which);

// For all components of a step, which are of one size.
class RegionPlace {
 public:
  // Of a step of `work` that says where, in pictures of that size. `few`: rather than small ones.
  // Throws Error(filter_spec) where the place does not lie in the picture.
  RegionPlace(const Work& work, const Step& step, int width, int height, bool few);

  enum class Kind : std::uint8_t { fixed, edges, boxes, video };
  Kind kind() const { return kind_; }
  // Whether the host finds what is filtered of each frame, before it is.
  bool moves() const { return kind_ == Kind::boxes || kind_ == Kind::video; }
  // The same place in planes of the same kind.
  bool operator==(const RegionPlace& other) const;

  const FilterSpec& where() const { return *where_; }
  Subsampling subsampling() const { return subsampling_; }
  const std::vector<Rect>& limits() const {
    return limits_;
  }  // of masks of each picture, in pixels
  int plane_width() const { return plane_width_; }
  int plane_height() const { return plane_height_; }
  // The most weights of a frame, where there are others in each.
  std::size_t most_weights() const;

  // Each adds what is filtered to none. A fixed place; of edges all that may have a weight, and no
  // weights: they are those of the plane's samples in order, of the rows of both fields too.
  void add(RegionPieces& pieces) const;
  // Edges, of a mask of the picture's pixels as it is stored:
  void add(const Weights& edges, RegionPieces& pieces) const;
  // Boxes, of a frame; `note` as Boxes::on() has it, `boxes`: memory for them.
  void add(const Frame& frame, bool note, std::vector<PlacedBox>& boxes,
           RegionPieces& pieces) const;
  // A mask video, at a frame.
  void add(const Frame& frame, MaskVideo& video, RegionPieces& pieces) const;

 private:
  void add_limits(RegionPieces& pieces) const;
  void add_rects(std::span<const Rect> pixels, RegionPieces& pieces) const;
  // Of the pixels of `area`, which begins at multiples of 8.
  void add_weights(const Weights& pixels, const Rect& area, RegionPieces& pieces) const;
  void add_pieces(const Plane<const std::uint8_t>& weights, const Rect& samples, std::size_t first,
                  std::size_t which, RegionPieces& pieces) const;

  Kind kind_ = Kind::fixed;
  const bool few_;
  const Subsampling subsampling_;
  const int width_, height_;              // of the picture
  const int plane_width_, plane_height_;  // of the components
  const std::shared_ptr<const FilterSpec> where_;
  const std::shared_ptr<Boxes> boxes_;
  const BoxClock clock_;
  std::vector<Rect> limits_;  // of masks of each picture
};

// Throws Error(filter_spec) where a part does not lie in pictures of that size.
void check_regions(const Work& work, int width, int height);

}  // namespace vidconv
