// Filter specifications, as a user writes them:
//
//   name[:key=value]...                      gaussian:sigma=2       sobel:norm=l1:scale=1/4
//   matrix:ROW;ROW;...[:key=value]...        matrix:0 -1 0;-1 5 -1;0 -1 0
//   row:NUMBERS, column:NUMBERS              row:1 2 1:scale=auto
//   time:NUMBERS                             time:1 2 1:scale=auto (over_time.h)
//   volume:PLANE|PLANE|...                   planes of rows: volume:1 2;3 4|5 6;7 8
//   separable:ACROSS;DOWN                    separable:1 2 1;-1 0 1
//   file:PATH[:key=value]...                 text or a picture, see kernel_file.h
//   random:SEED,SIZE                         random:7,5x3
//   fill:COLOUR[:key=value]...               fill:black    fill:#1e90ff (colour_spec.h)
//   tilt-shift:y=40%,height=20%,blur=12      gaussian, by a map of its own
//
// The first parameter of a blur may be a map's: sigma=map:PATH*12 (white: 12). A parameter may
// change with time: sigma=0..8@10-20, or sigma=@PATH with keys (curve_spec.h).
//
// Numbers are decimals or fractions ("1/9"), separated by blanks, commas or both.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/filter/filter.h"
#include "kernels/filter/orientation.h"
#include "kernels/spec/curve.h"
#include "kernels/spec/kernel_file.h"
#include "kernels/spec/place_spec.h"
#include "kernels/spec/plane_selection.h"
#include "kernels/spec/spec_text.h"
#include "kernels/spec/time_spec.h"

namespace vidconv {

struct Preset;

// The keys that every filter takes.
struct Modifiers {
  std::optional<double> scale;   // factor on every response; 1 where there is none
  bool auto_scale = false;       // scale=auto: 1 / sum of the taps
  std::optional<double> bias;    // added, as a fraction of full scale; else the filter's own
  std::optional<bool> absolute;  // abs=1, abs=0; else the filter's own
  bool flip = false;             // flip=1: mathematical convolution, and of a point spread none
  int quarter_turns = 0;         // rotate=90|180|270, clockwise
  bool has_anchor = false;       // anchor=x,y
  int anchor_x = 0, anchor_y = 0;
  int anchor_frame = 0;                  // a volume's: anchor=x,y,frame
  std::optional<PlaneSelection> planes;  // planes=all|luma|chroma|list; else the command's
  std::optional<AlphaUse> alpha;         // alpha=weighted|separate; else the command's
  PlaceSpec place;                       // region=, mask=, invert=, feather=
  When when;                             // between=FROM-TO,...
  OverTime over_time;                    // only for filters over time
};

// A parameter that changes with time.
struct TimedParameter {
  std::size_t argument;  // index among the preset's parameters
  ValueCurve curve;
};

// A parsed and checked specification; making the filter from it cannot fail.
class FilterSpec {
 public:
  // The most pixels of a mask; kernels have fewer.
  static constexpr std::int64_t most_pixels = std::int64_t{1} << 28;

  // Throws SpecError. Reads the file of a "file:" specification, and of a mask; a picture in it has
  // at most `max_pixels`.
  // `decoder`: of pictures that are neither PNG nor PGM.
  static FilterSpec parse(std::string_view text, std::int64_t max_pixels = most_pixels,
                          PictureDecoder decoder = nullptr);
  // "file:NAME" as if a file of that name held these bytes.
  static FilterSpec parse_file(const std::string& name, std::string_view bytes,
                               std::int64_t max_pixels = most_pixels);

  const std::string& text() const { return text_; }  // as it was given
  std::string_view name() const;                     // "gaussian", "matrix", "file", ...
  // Returns the files that were read: of the kernel, of values over time, of the mask.
  const std::vector<std::string>& files() const { return files_; }
  // Returns the colour of a filter that fills.
  const std::optional<Colour>& fill() const { return fill_; }
  // Returns whether it reads frames before and after the one that it filters.
  bool is_over_time() const;
  bool is_volume() const { return plane_rows_ > 0; }
  const OverTime& over_time() const { return modifiers_.over_time; }
  // The planes that the filter was given for, where it was.
  const std::optional<PlaneSelection>& planes() const { return modifiers_.planes; }
  // How it treats colours that have alpha, where it was said.
  const std::optional<AlphaUse>& alpha() const { return modifiers_.alpha; }

  // Returns the frames that the filter is for.
  const When& when() const { return modifiers_.when; }
  // Returns the parameters that change with time.
  const std::vector<TimedParameter>& timed() const { return timed_; }
  // Whether a map says how much the filter blurs where.
  bool has_map() const { return place().level().has_value(); }
  // Returns the filters that a map chooses from, each with its place, weakest first; for a filter
  // without a map itself alone. They act on the same samples, each brought in over those before.
  std::vector<FilterSpec> levels() const;
  // Returns one of the levels with all of its map; any other filter itself.
  FilterSpec by_whole_map() const;
  bool is_for_all_frames() const { return when().always() && timed_.empty(); }
  // Returns the filter for every frame; parameters that change have their largest value.
  FilterSpec for_all_frames() const;
  // Returns the filter with these values, one for each of timed(), by index. Throws
  // std::invalid_argument where that makes no filter.
  FilterSpec with_values(std::span<const int> values) const;

  // Makes the filter for a plane whose samples each stand for `subsampling` luma samples. An anchor
  // given to a preset is moved with its kernel's size. Rows and columns of zeros at a kernel's
  // edges are left out.
  Filter make(Subsampling subsampling = {}) const;

  // Returns the filter for a picture that is stored turned: it does to the shown picture what is
  // asked for.
  FilterSpec of_stored(const Orientation& shown) const;
  bool is_turned() const { return !shown_.is_upright(); }

  // Whether the filter acts on a region of the picture only; make() ignores that.
  bool has_place() const { return acts_in_boxes() || !modifiers_.place.everywhere(); }
  // Returns the filter acting in boxes that are given frame by frame; for one without a place.
  // `number` is its index in the chain.
  FilterSpec in_boxes(std::size_t number) const;
  bool acts_in_boxes() const { return in_boxes_.has_value(); }
  std::size_t number_for_boxes() const { return in_boxes_.value_or(0); }
  const Orientation& shown() const { return shown_; }
  const PlaceSpec& place() const { return modifiers_.place; }
  // Returns the region it acts on, where that is the same in each frame, as PlaceSpec::part_of()
  // does. Throws SpecError.
  PicturePart place_in(int width, int height) const {
    return modifiers_.place.part_of(width, height, shown_, text_);
  }

  // Both return a line on what most likely was not meant, with a remedy; empty where there is
  // nothing to say. gain_warning(): a matrix without a scale makes flat areas whiter than white or
  // blacker than black.
  std::string gain_warning() const;
  // shape_warning(): one row, or column, has as many numbers as a square matrix, as other programs
  // take it.
  std::string shape_warning() const;

 private:
  friend class SpecParser;

  void place_anchor(Filter& filter, Subsampling subsampling) const;
  Filter make_unmodified(Subsampling subsampling) const;

  std::string text_;
  std::vector<std::string> files_;
  const Preset* preset_ = nullptr;  // nullptr: `matrix_` is the kernel
  std::vector<double> arguments_;   // the preset's, in the order of its table row
  std::string matrix_name_;
  // Whether the matrix was typed in rows of numbers; a single row is better typed as "row:".
  bool typed_ = false;
  std::vector<Kernel> matrix_;  // exactly one, or none for a preset
  int plane_rows_ = 0;          // OverTime::plane_rows of a volume
  Modifiers modifiers_;
  bool point_spread_ = false;  // the matrix is a picture of a point, of luma samples
  std::optional<Colour> fill_;
  std::vector<TimedParameter> timed_;
  Orientation shown_;
  std::optional<std::size_t> in_boxes_;
};

// Returns each filter of a chain for pictures that are shown so.
std::vector<FilterSpec> of_stored(std::span<const FilterSpec> chain, const Orientation& shown);

// A word that begins a specification without a preset, and what follows it.
struct MatrixForm {
  std::string_view name;
  std::string_view what_follows;  // "R;R;..."
  std::string_view description;
};
std::span<const MatrixForm> matrix_forms();
// Returns all words that a specification may begin with: presets and forms.
std::vector<std::string_view> filter_names();
bool is_filter_name(std::string_view word);  // in any case

// A key that every filter takes.
struct ModifierKey {
  std::string_view name;
  std::string_view values;
  std::string_view description;
};
std::span<const ModifierKey> modifier_keys();
std::span<const ModifierKey> time_keys();  // filters over time take these too

}  // namespace vidconv
