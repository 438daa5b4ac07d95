// RegionPlace says where in its planes a step acts that names a region.
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
  // Index of the first sample's weight among all weights, and distance to the next row's. -1: all
  // weights are 255.
  std::ptrdiff_t weights = -1, stride = 0;

  // Returns the piece's weights, where `all` points to the first of all weights.
  Plane<const std::uint8_t> weights_in(const std::uint8_t* all) const {
    return {.data = all + weights, .stride = stride, .width = rect.width, .height = rect.height};
  }
};

struct RegionPieces {
  // The pieces that are filtered of a plane (0) and of each of its fields (1, 2). No sample is in
  // two.
  using Planes = std::array<std::vector<RegionPiece>, 3>;
  std::vector<Planes> levels = std::vector<Planes>(1);  // more by a map: one for each of its levels
  std::vector<std::uint8_t> weights;                    // all pieces' weights, or a map's values

  void clear();
};

// Returns the rows of a plane (`which` is 0) or of one of its fields (1, 2).
template <class T>
Plane<T> rows_of(const Plane<T>& plane, std::size_t which) {
  return which == 0 ? plane : field_of(plane, static_cast<int>(which) - 1);
}
Rect rows_of(const Rect& r, std::size_t which);

// The place of a step, for all of its components, which are of one size.
class RegionPlace {
 public:
  // `step` is one of `work` that names a region, in pictures of that size. `few`: prefers few
  // pieces to small ones. Throws Error(filter_spec) if the place does not lie in the picture.
  RegionPlace(const Work& work, const Step& step, int width, int height, bool few);

  enum class Kind : std::uint8_t { fixed, edges, boxes, video };
  Kind kind() const { return kind_; }
  // Returns whether the host finds the pieces of each frame anew, before it is filtered.
  bool moves() const { return kind_ == Kind::boxes || kind_ == Kind::video; }
  // Returns whether both are one place in planes of the same kind; levels of a map have one place.
  bool operator==(const RegionPlace& other) const;

  const FilterSpec& where() const { return *where_; }  // with all of its map, if it has one
  // Returns the step's level of its map; number 0 where it has none.
  const MapLevel& level() const { return level_; }
  // Returns the step's index among RegionPieces::levels.
  std::size_t level_index() const {
    return static_cast<std::size_t>(level_.number > 0 ? level_.number - 1 : 0);
  }
  // Returns whether each weight above 0 is the largest, so that what has one is brought in as it
  // is.
  bool is_whole() const { return whole_; }
  Subsampling subsampling() const { return subsampling_; }
  // Returns the limits of each picture's mask, in pixels.
  const std::vector<Rect>& limits() const { return limits_; }
  int plane_width() const { return plane_width_; }
  int plane_height() const { return plane_height_; }
  // Returns the most weights that a frame may have, where each frame has its own.
  std::size_t most_weights() const;

  // Each adds pieces to empty `pieces`. This one adds those of a fixed place; of edges it adds all
  // pieces that may have a weight, and no weights: their indices are those of the plane's samples
  // in order, with the rows of both fields.
  void add(RegionPieces& pieces) const;
  // Adds the pieces of edges, by a mask of the picture's pixels as they are stored.
  void add(const Weights& edges, RegionPieces& pieces) const;
  // Adds the pieces of a frame's boxes; `note` as for Boxes::on(), `boxes`: memory for them.
  void add(const Frame& frame, bool note, std::vector<PlacedBox>& boxes,
           RegionPieces& pieces) const;
  // Adds the pieces of a mask video at the frame's time.
  void add(const Frame& frame, MaskVideo& video, RegionPieces& pieces) const;

 private:
  void add_limits(RegionPieces& pieces) const;
  void add_rects(std::span<const Rect> pixels, RegionPieces& pieces) const;
  // Adds the weights of the pixels of `area`, which begins at multiples of 8.
  void add_weights(const Weights& pixels, const Rect& area, RegionPieces& pieces) const;
  void add_pieces(const Plane<const std::uint8_t>& weights, const Rect& samples, std::size_t first,
                  std::size_t which, RegionPieces& pieces) const;

  Kind kind_ = Kind::fixed;
  const bool few_;
  const bool whole_;
  const MapLevel level_;
  const Subsampling subsampling_;
  const int width_, height_;              // the picture's size
  const int plane_width_, plane_height_;  // the components' size
  const std::shared_ptr<const FilterSpec> where_;
  const std::shared_ptr<Boxes> boxes_;
  const BoxClock clock_;
  std::vector<Rect> limits_;  // limits of each picture's mask
};

// Throws Error(filter_spec) if a region does not lie in pictures of that size.
void check_regions(const Work& work, int width, int height);

}  // namespace vidconv
