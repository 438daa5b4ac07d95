// Where in the picture a filter acts, as a user writes it:
//
//   region=X,Y,WIDTH,HEIGHT[;...]   whole pixels of the picture as it is shown, or percent of it
//   mask=FILE                       as much as a grey picture says, black: not at all; or a video,
//                                   whose pictures do so one after the other
//   mask=edges:NAME, edges:(SPEC)   as much as a filter finds in each picture
//   invert=1                        everywhere but there
//   feather=PIXELS                  around it too, less and less
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/filter/orientation.h"
#include "kernels/picture/rect.h"
#include "kernels/picture/weights.h"
#include "kernels/spec/grey_picture.h"
#include "kernels/spec/spec_text.h"

namespace vidconv {

// A region of a picture, in stored luma samples: disjoint rectangles, or how much of each sample.
struct PicturePart {
  std::vector<Rect> rects;
  std::optional<Weights> weights;

  double pixels() const;  // number of pixels in all
};

class FilterSpec;

class PlaceSpec {
 public:
  // Whether read() takes this key.
  static bool has_key(std::string_view key);
  // Reads the value of a key, at the cursor. Throws SpecError.
  void read(Cursor& c, std::string_view key);
  // Checks the keys together, after the last one. Throws SpecError.
  void check(const Cursor& c) const;

  // Sets the picture that mask= names; the name begins at `at` of the text.
  void set_mask(const GreyPicture& picture, std::size_t at);

  // Sets a mask file that is no picture: a video, which is not opened here.
  void set_mask_video(std::string path, std::size_t at);
  const std::string& mask_video() const { return mask_video_; }  // empty where there is none
  std::size_t mask_at() const { return mask_at_; }               // position in the text

  // Sets the filter of mask=edges:..., which makes a mask of each picture; nullptr where there is
  // none.
  void set_edges(std::shared_ptr<const FilterSpec> filter, std::size_t at);
  const std::shared_ptr<const FilterSpec>& edges() const { return edges_; }

  // Makes the mask a map: by one of so many levels, or all.
  void set_level(const MapLevel& level) { level_ = level; }
  const std::optional<MapLevel>& level() const { return level_; }
  // Sets the map of a filter that is sharp between two heights of the picture and blurs towards the
  // farther edge; reads "y=40%,height=20%,".
  void read_tilt(Cursor& c);
  bool has_mask() const { return mask_ || has_masks() || tilt_; }

  bool inverts() const { return invert_; }
  int feather() const { return feather_; }  // pixels
  bool everywhere() const { return regions_.empty() && !has_mask(); }
  // Whether each picture has a mask of its own.
  bool has_masks() const { return edges_ || !mask_video_.empty(); }

  // Returns the region of a picture that is stored in this size and shown so: at least one sample.
  // `text` is the text it was read from. Throws SpecError where a region does not lie in the
  // picture, the mask has another size, or nothing is left. Where has_masks(), it returns the
  // rectangles that limit the masks; weights_of() combines them with a mask.
  PicturePart part_of(int width, int height, const Orientation& shown,
                      const std::string& text) const;
  // Returns the mask inside the rectangles, feathered and inverted as is asked for.
  Weights weights_of(const Weights& mask, std::span<const Rect> rects) const;

  // Whether both were given alike, word for word and mask for mask, so that part_of() is equal too.
  bool operator==(const PlaceSpec&) const = default;

 private:
  struct Length {
    double value = 0;
    bool percent = false;
    int pixels(int of) const;
    bool operator==(const Length&) const = default;
  };
  struct Region {
    std::size_t at = 0;  // position in the text
    Length x = {}, y = {}, width = {}, height = {};
    bool operator==(const Region&) const = default;
  };

  static Length read_length(Cursor& c, std::string_view what, long min);
  static void check_percent(const Cursor& c, const Region& region);
  static Rect rect_of(const Region& region, int width, int height, const std::string& text);
  struct Tilt {
    std::size_t at = 0;  // position in the text
    Length y = {}, height = {};
    bool operator==(const Tilt&) const = default;
  };
  Weights tilted(int width, int height, const std::string& text) const;
  Weights fixed_weights(std::span<const Rect> seen, int width, int height,
                        const std::string& text) const;

  std::vector<Region> regions_;
  std::shared_ptr<const Weights> mask_;
  std::shared_ptr<const FilterSpec> edges_;
  std::string mask_video_;
  std::optional<Tilt> tilt_;
  std::optional<MapLevel> level_;
  bool invert_ = false;
  int feather_ = 0;                                           // pixels
  std::size_t mask_at_ = 0, invert_at_ = 0, feather_at_ = 0;  // positions in the text
};

// Returns weights of the shown picture as those of the picture that is stored in this size.
Weights stored_weights(const Weights& seen, const Orientation& shown, int width, int height);

// Returns a rectangle of the shown picture as one of the picture that is stored in this size.
Rect stored_rect(const Rect& seen, const Orientation& shown, int width, int height);

}  // namespace vidconv
