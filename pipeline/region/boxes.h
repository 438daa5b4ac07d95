// Boxes says where filters act in each frame, as a detector has found it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/filter/orientation.h"
#include "kernels/picture/rect.h"
#include "pipeline/av/frame.h"
#include "pipeline/av/video.h"
#include "pipeline/region/box_index.h"

namespace vidconv {

// A line of a file of boxes (docs/places.md), in pixels of the displayed picture or relative to it.
struct BoxLine {
  double at = 0;        // the frame's number, counted from 0, or seconds where `by_time`
  std::string id = {};  // the object's name; empty: nothing else is known of it
  double x = 0, y = 0, width = 0, height = 0;
  int line = 0;    // number in the file or list, from 1
  int filter = 0;  // number in the chain, from 1; 0: each without a place of its own
  bool by_time = false, ellipse = false;
};

// The unit of a box's numbers.
enum class Units { unknown, pixels, relative };

// A length of time. In seconds it is counted in frames, and the other way, by the duration of the
// frame that is looked at.
struct BoxTime {
  double amount = 0;
  bool seconds = false;  // else frames
};

struct BoxOptions {
  std::string file = {};   // where they were read
  bool listed = false;     // they are in no file, but in a list that a program gave
  double grow = 0;         // share of a box's width and height, added on each side
  BoxTime grow_time = {};  // a frame has all places where a box is so long before and after
  BoxTime hold = {};       // boxes stay so long before the first line of an id, and after the last
  std::optional<bool> ellipse = {};  // all boxes, or none; else as each line says
  int feather = 0;                   // pixels
  Units units = Units::unknown;      // relative: fractions of the picture's width and height
  int filter = 0;  // number in the chain, from 1, of lines that name none; 0: each

  // For messages: the boxes as a whole, and one of them by its BoxLine::line.
  std::string name() const { return listed ? "regions" : file; }
  std::string where(int line) const;
};

// A box on one frame, in stored pixels; it may reach beyond the picture.
struct PlacedBox {
  Rect rect;
  bool ellipse = false;
};

// Finds a frame's number and time in the whole of its input.
struct BoxClock {
  AVRational time_base = {0, 1};
  InputClock clock = {};
};

// Tells on which frames the boxes of one id, or of a line without one, were applied.
struct BoxAccount {
  std::string id;
  int line = 0;             // the first line's number
  std::size_t lines = 0;    // number of lines
  std::int64_t frames = 0;  // number of frames it was applied to
  std::int64_t first = 0, last = 0;
};

// Thread-safe.
class Boxes {
 public:
  // Throws Error(filter_spec) where an id has two lines at one time.
  Boxes(std::vector<BoxLine> lines, BoxOptions options);

  const BoxOptions& options() const { return options_; }
  // Returns the same boxes, applied to no frame yet.
  std::shared_ptr<Boxes> anew() const { return std::make_shared<Boxes>(lines_, options_); }
  // Returns the line that names the filter with the largest number; if none names any, some line.
  const BoxLine& last_filter() const;
  bool has_frames() const;   // some lines count frames
  bool has_weights() const;  // some boxes do not filter all of their pixels alike

  // Sets `boxes` to those of filter `filter` of the chain (from 0) on a frame that is displayed as
  // `shown` says; between two lines of one id a box moves in a straight line. `clock`: the frame's
  // video's. With `note`, notes that they were applied.
  void on(const Frame& frame, const BoxClock& clock, std::size_t filter, const Orientation& shown,
          bool note, std::vector<PlacedBox>& boxes);

  // Throws Error(filter_spec) after the last frame if some lines were applied to no frame. Unless
  // `whole`, only lines within the range that was read count.
  void check(bool whole) const;
  std::vector<BoxAccount> accounts() const;

 private:
  struct Track {
    std::uint32_t begin, end;  // range of order_
    std::int64_t frames = 0, first = 0, last = -1;
  };
  using Lines = std::span<const std::uint32_t>;
  // When a frame is shown, and lengths of time, in what lines count.
  struct Moment {
    double from, to;
    double hold = 0, grow = 0;

    Moment at(double place) const { return {place, place + (to - from), hold, 0}; }
  };
  // Where a track is on a frame: around all places, if there are several.
  struct Covered {
    std::vector<std::uint32_t> lines = {};  // the lines between which the track is
    std::optional<Rect> rect = {};
    bool several = false;
  };
  double place_of(std::uint32_t line) const { return lines_[line].at; }
  Lines lines_of(const Track& track) const;
  struct Named;
  std::vector<Named> named_lines() const;
  void check_once(std::span<const Named> named) const;
  void make_tracks();
  Moment moment_of(const Frame& frame, const BoxClock& clock, bool by_frame) const;
  bool find(const Track& track, const Moment& moment, std::uint32_t& a, std::uint32_t& b,
            double& part) const;
  void cover(const Track& track, const Moment& moment, int width, int height,
             Covered& covered) const;
  // Returns the box between two lines in a displayed picture of that size.
  Rect rect_between_lines(const BoxLine& a, const BoxLine& b, double part, int width,
                          int height) const;
  std::string why_not(std::size_t line) const;

  const std::vector<BoxLine> lines_;
  const BoxOptions options_;
  std::vector<std::uint32_t> order_;     // lines of one track side by side, in order of time
  std::vector<Track> tracks_;            // in order of their first lines
  BoxIndex by_frame_, by_time_;          // the numbers are indices of tracks_
  Covered covered_;                      // scratch for one track
  mutable std::mutex mutex_;             // guards all below
  std::vector<bool> applied_, outside_;  // one per line
  std::optional<double> first_time_, last_time_;
  std::optional<std::int64_t> first_frame_, last_frame_;
  std::string size_;  // the displayed pictures' size, for messages
};

}  // namespace vidconv
