// Where in the picture a filter acts, as a user writes it:
//
//   region=X,Y,WIDTH,HEIGHT[;...]   whole pixels of the picture as it is shown, or percent of it
//   invert=1                        everywhere but there
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/filter/orientation.h"
#include "kernels/picture/rect.h"
#include "kernels/spec/spec_text.h"

namespace vidconv {

class PlaceSpec {
 public:
  // Whether it is a key that read() takes.
  static bool has_key(std::string_view key);
  // The value of a key, at the cursor. Throws SpecError.
  void read(Cursor& c, std::string_view key);
  // After the last key. Throws SpecError.
  void check(const Cursor& c) const;

  bool everywhere() const { return regions_.empty(); }

  // What it is of a picture that is stored in this size, and shown so: stored luma samples, at
  // least one, each in one rectangle. `text`: that it was read from. Throws SpecError where a
  // region does not lie in the picture, or nothing is left.
  std::vector<Rect> part_of(int width, int height, const Orientation& shown,
                            const std::string& text) const;

 private:
  struct Length {
    double value = 0;
    bool percent = false;
    int pixels(int of) const;
  };
  struct Region {
    std::size_t at = 0;  // in the text
    Length x = {}, y = {}, width = {}, height = {};
  };

  static Length read_length(Cursor& c, std::string_view what, long min);
  static void check_percent(const Cursor& c, const Region& region);
  static Rect rect_of(const Region& region, int width, int height, const std::string& text);

  std::vector<Region> regions_;
  bool invert_ = false;
  std::size_t invert_at_ = 0;
};

// A rectangle of what is seen, of a picture stored in this size, as a rectangle of what is stored.
Rect stored_rect(const Rect& seen, const Orientation& shown, int width, int height);

}  // namespace vidconv
