#include "kernels/spec/parse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "kernels/base/names.h"
#include "kernels/filter/presets.h"
#include "kernels/spec/colour_spec.h"
#include "kernels/spec/curve_spec.h"
#include "kernels/spec/kernel_file.h"
#include "kernels/spec/kernel_keys.h"
#include "kernels/spec/matrix_spec.h"
#include "kernels/spec/misspelt.h"
#include "kernels/spec/over_time_spec.h"

namespace vidconv {
namespace {

constexpr MatrixForm forms[] = {
    {"matrix", "R;R;...", "rows of numbers: matrix:0 -1 0;-1 5 -1;0 -1 0"},
    {"row", "R", "one row of numbers"},
    {"column", "R", "one column of numbers"},
    {"separable", "R;C", "a row across and a column down, multiplied: separable:1 2 1;-1 0 1"},
    {"time", "R", "numbers over frames, in order of time: time:1 2 1:scale=auto"},
    {"volume", "P|P|...",
     "planes of rows of numbers, one for each frame in order of time: volume:0 1;1 0|1 2;2 1"},
    {"file", "PATH",
     "rows of numbers in a text file, # begins a comment, lines of | are between the planes of a "
     "volume; or a grey picture of what becomes of a point of light"},
    {"random", "SEED,SIZE", "noise, for tests: random:7,5 or random:7,9x3"},
    {"tilt-shift", "y=Y,height=H,blur=SIGMA",
     "a Gaussian that is nothing between two heights, in pixels or percent, and grows to SIGMA at "
     "the "
     "farther edge: tilt-shift:y=40%,height=20%,blur=12"},
    {"fill", "COLOUR", "one colour, by name or as #rrggbb: fill:black, fill:#1e90ff"},
};

constexpr ModifierKey keys[] = {
    {"scale", "-1e6..1e6", "factor on the response; auto, for one kernel: 1 / sum of its taps"},
    {"bias", "-16..16", "added to the response, as a fraction of full scale"},
    {"abs", "0|1", "1: absolute value before the clamp"},
    {"flip", "0|1", "1: mathematical convolution instead of correlation"},
    {"rotate", "0|90|180|270", "turn the kernel with its anchor, clockwise"},
    {"anchor", "x,y",
     "the tap on the output pixel, from the top left of the kernel before rotate and flip; the "
     "middle otherwise; over time its number, of a volume x,y,frame"},
    {"units", "luma|plane",
     "of a picture as a kernel: luma pixels, or as a matrix the samples of each plane, not turned"},
    {"planes", "all|luma|chroma|list", "this filter's planes, instead of --planes"},
    {"alpha", "weighted|separate",
     "of a picture with alpha: what is transparent lends no colour, and alpha is filtered too; or "
     "each plane on its own"},
    {"region", "x,y,w,h[;...]",
     "there only, in pixels of what is seen, or in percent: 0,50%,100%,50%"},
    {"mask", "FILE|edges:FILTER",
     "as much as a grey picture (PNG, PGM) or the luma of a video of the same size says, or what a "
     "filter makes of each picture, as edges:sobel or edges:(sobel:scale=2): white fully"},
    {"invert", "0|1", "1: everywhere but there"},
    {"feather", "0..1000", "pixels over which the filter fades around its region or mask"},
    {"ease", "linear|in|out|in-out|hold",
     "how values go from one to the next that change with time (sigma=0..8@10-20)"},
    {"between", "FROM-TO,...",
     "the frames that it is for, by time (1:00-1:30, 90-) or number (f100-f200); others pass"},
};

constexpr int largest_mask = 65535;  // largest width and height, in pixels

using Names = std::vector<std::string_view>;

// Returns the names in the rows of two tables.
template <class A, class B>
Names names(const A& a, const B& b) {
  Names all;
  for (const auto& row : a) all.push_back(row.name);
  for (const auto& row : b) all.push_back(row.name);
  return all;
}

// Returns the name that was most likely meant, or, where none is near, all names.
std::string instead(std::string_view word, const Names& all, std::string_view there_are) {
  const std::string meant = did_you_mean(word, all);
  return meant.empty() ? fmt::format("; {} {}", there_are, fmt::join(all, ", ")) : meant;
}

ValueRange range_of(const Parameter& parameter) {
  return {parameter.min, parameter.max, parameter.integer};
}

// Reads the value of a parameter of a preset.
double read_argument(Cursor& c, const Parameter& parameter) {
  const std::size_t start = c.position();
  if (!parameter.choices.empty()) {
    const std::string_view word = c.until(":");
    const auto* choice = row_named(parameter.choices, word, std::identity());
    if (!choice)
      c.fail(fmt::format("'{}' is not one of {}{}", word, fmt::join(parameter.choices, ", "),
                         did_you_mean(word, parameter.choices)),
             start);
    return static_cast<double>(choice - parameter.choices.data());
  }
  return read_value(c, parameter.name, range_of(parameter));
}

}  // namespace

class SpecParser {
 public:
  SpecParser(std::string_view text, std::int64_t max_pixels, PictureDecoder decoder = nullptr)
      : cursor_(text), max_pixels_(max_pixels), decoder_(decoder) {
    spec_.text_ = text;
  }

  FilterSpec parse(const std::string_view* file_bytes = nullptr) {
    file_bytes_ = file_bytes;
    const std::string_view name = cursor_.until(":");
    if (same_name(name, "tilt-shift"))
      read_tilt_shift();
    else if (const MatrixForm* form = row_named(forms, name, &MatrixForm::name))
      read_matrix(std::string(form->name));
    else
      find_named(name);
    seen_.clear();  // keys in a file may be given again here
    while (!cursor_.at_end()) {
      if (!cursor_.accept(':')) {
        if (const auto mistake = misspelt_filter(cursor_.text()))
          cursor_.fail(mistake->message, cursor_.position(), mistake->remedy);
        cursor_.fail_here("':' or the end");
      }
      read_key(cursor_);
    }
    check_modifiers();
    return std::move(spec_);
  }

 private:
  void find_named(std::string_view name) {
    spec_.preset_ = find_preset(name);
    if (!spec_.preset_) {
      if (const auto mistake = misspelt_filter(cursor_.text()))
        cursor_.fail(mistake->message, 0, mistake->remedy);
      cursor_.fail(
          fmt::format("unknown filter '{}'{}", name, instead(name, filter_names(), "there are")),
          0);
    }
    for (const Parameter& parameter : spec_.preset_->parameters)
      spec_.arguments_.push_back(
          parameter.fallback.value_or(std::numeric_limits<double>::quiet_NaN()));
  }

  void read_tilt_shift() {
    find_named("gaussian");
    if (!cursor_.accept(':')) cursor_.fail_here("':' after 'tilt-shift'");
    map_at_ = cursor_.position();
    spec_.modifiers_.place.read_tilt(cursor_);
    if (!cursor_.accept("blur=")) cursor_.fail_here("'blur=', as in y=40%,height=20%,blur=12");
    const Parameter& sigma = spec_.preset_->parameters.front();
    set_map(read_argument(cursor_, sigma), 0);
  }

  // Makes the first parameter a map's, which is `white` where the map is white.
  void set_map(double white, std::size_t argument) {
    constexpr int least_levels = 4, most_levels = 16;
    spec_.arguments_[argument] = white;
    const int count = std::clamp(static_cast<int>(std::ceil(white)), least_levels, most_levels);
    spec_.modifiers_.place.set_level({0, count});
  }

  // Reads FILE*WHITE, after "map:".
  void read_map(Cursor& c, const Parameter& parameter, std::size_t argument) {
    if (argument != 0 || parameter.integer || parameter.min < 0 ||
        spec_.make_unmodified({}).purpose != Purpose::blur)
      c.fail(
          fmt::format("'{}' of {} takes no map: sigma of gaussian does, radius of disk, length of "
                      "motion, sigma of comet",
                      parameter.name, spec_.name()),
          c.position());
    map_at_ = c.position();
    const std::size_t end = path_end(map_at_);
    const std::string_view words = c.text().substr(0, end);
    const std::size_t star = words.rfind('*');
    if (star == std::string_view::npos || star < map_at_)
      c.fail("a map needs a factor, the value of white: map:depth.png*12", end);
    if (star == map_at_) c.fail("a map is a grey picture or video: map:depth.png*12", map_at_);
    c.go_to(star + 1);
    set_map(read_argument(c, parameter), argument);
    read_grey(std::string(words.substr(map_at_, star - map_at_)), map_at_, "map");
  }

  void read_matrix(const std::string& name) {
    if (!cursor_.accept(':')) cursor_.fail_here(fmt::format("':' after '{}'", name));
    spec_.matrix_name_ = name;
    try {
      spec_.matrix_.push_back(name == "fill"   ? read_fill()
                              : name == "file" ? read_file()
                                               : read_numbers(name));
    } catch (const std::invalid_argument& error) {
      cursor_.fail(error.what(), 0);
    }
  }

  Kernel read_numbers(const std::string& form) {
    TypedKernel typed = read_typed_kernel(cursor_, form);
    spec_.typed_ = form == "matrix";
    spec_.plane_rows_ = typed.plane_rows;
    return std::move(typed.kernel);
  }

  // A tap that leaves nothing stands for what there is no kernel of.
  Kernel read_fill() {
    spec_.fill_ = read_colour(cursor_);
    return {1, 1, {0}};
  }

  Kernel read_file() {
    const std::size_t start = cursor_.position();
    const std::string path = read_path();
    try {
      if (!file_bytes_) spec_.files_.push_back(path);
      const std::string bytes = file_bytes_ ? std::string(*file_bytes_) : read_kernel_file(path);
      spec_.point_spread_ = is_kernel_picture(bytes) || coded_picture(bytes) != CodedPicture::none;
      spec_.typed_ = !spec_.point_spread_;
      if (spec_.typed_) {
        const bool volume = has_planes(bytes);
        spec_.typed_ = !volume;
        spec_.plane_rows_ = volume ? 1 : 0;  // keys are read before it is known how many
        KernelText text = read_kernel_text(bytes, path, [this](Cursor& c) { read_key(c); });
        spec_.plane_rows_ = text.plane_rows;
        return std::move(text.kernel);
      }
      Kernel kernel = read_kernel_picture(bytes, max_pixels_, decoder_);
      if (kernel.sum() == 0) cursor_.fail(fmt::format("the picture '{}' is black", path), start);
      spec_.modifiers_.auto_scale = true;  // it draws the shape of a blur
      return kernel;
    } catch (const SpecError&) {
      throw;
    } catch (const std::runtime_error& error) {
      cursor_.fail(fmt::format("cannot read the kernel file '{}': {}", path, error.what()), start);
    }
  }

  // Reads edges:NAME or edges:(SPEC), after the first colon.
  void read_edges(std::size_t start) {
    const bool bracketed = cursor_.accept('(');
    const std::size_t begin = cursor_.position();
    const std::string_view text = cursor_.until(bracketed ? ")" : ":");
    if (bracketed && !cursor_.accept(')')) cursor_.fail_here("')' after the mask's filter");
    try {
      auto filter = std::make_shared<const FilterSpec>(FilterSpec::parse(text, max_pixels_));
      if (filter->has_place() || filter->planes())
        cursor_.fail("a mask's filter takes no place and no planes of its own", begin);
      if (!filter->is_for_all_frames())
        cursor_.fail("a mask's filter is the same for all frames", begin);
      if (!filter->files().empty()) cursor_.fail("a mask's filter is no file", begin);
      if (filter->fill_) cursor_.fail("a mask's filter has to look at the picture", begin);
      spec_.modifiers_.place.set_edges(std::move(filter), start);
    } catch (const SpecError& error) {
      if (error.text() == cursor_.text()) throw;
      cursor_.fail(error.what(), begin + error.column() - 1);
    }
  }

  void read_mask() {
    const std::size_t start = cursor_.position();
    if (cursor_.accept("edges:")) {
      mask_given_ = true;
      return read_edges(start);
    }
    mask_given_ = true;
    read_grey(read_path(), start, "mask");
  }

  // Reads a grey picture, or notes a video.
  void read_grey(const std::string& path, std::size_t start, std::string_view what) {
    try {
      if (is_grey_picture(read_first_bytes(path)))
        spec_.modifiers_.place.set_mask(
            read_grey_picture(read_kernel_file(path),
                              {.side = largest_mask, .pixels = max_pixels_}),
            start);
      else
        spec_.modifiers_.place.set_mask_video(path, start);
      spec_.files_.push_back(path);
    } catch (const std::runtime_error& error) {
      cursor_.fail(fmt::format("cannot read the {} '{}': {}", what, path, error.what()), start);
    }
  }

  std::string read_path() {
    const std::size_t start = cursor_.position(), end = path_end(start);
    cursor_.go_to(end);
    return std::string(cursor_.text().substr(start, end - start));
  }

  // A path ends where ":key=" begins or at the end, so that it may hold colons itself.
  std::size_t path_end(std::size_t start) const {
    const std::string_view text = cursor_.text();
    for (std::size_t at = start; (at = text.find(':', at)) < text.size(); ++at) {
      const std::string_view word = text.substr(at + 1, text.find_first_of("=:", at + 1) - at - 1);
      if (text.substr(at + 1 + word.size()).starts_with('=') &&
          (row_named(keys, word, &ModifierKey::name) ||
           row_named(time_keys(), word, &ModifierKey::name) ||
           row_named(parameters(), word, &Parameter::name)))
        return at;
    }
    return text.size();
  }

  // Returns the preset's parameters.
  std::span<const Parameter> parameters() const {
    if (!spec_.preset_) return {};
    return spec_.preset_->parameters;
  }

  // Reads key=value, of the preset or of every filter.
  void read_key(Cursor& c) {
    const std::size_t start = c.position();
    const std::string_view word = c.until("=:");
    const std::span<const Parameter> parameters = this->parameters();
    const Parameter* parameter = row_named(parameters, word, &Parameter::name);
    const ModifierKey* modifier = row_named(keys, word, &ModifierKey::name);
    const ModifierKey* of_time = row_named(time_keys(), word, &ModifierKey::name);
    if (!parameter && !modifier && of_time && !spec_.is_over_time())
      c.fail(fmt::format("'{}' is of filters over time, and {} is none", word, spec_.name()), start,
             "see time-box, time: and volume:");
    if (!modifier) modifier = of_time;
    if (!c.accept('=')) {
      if (parameter || modifier) c.fail_here(fmt::format("'=' after '{}'", word));
      const bool unnamed = is_number(word) && !parameters.empty();
      c.fail(fmt::format("'{}' has no name", word), start,
             fmt::format("values are given by name: {}'{}' takes {}",
                         unnamed ? fmt::format("{}={}; ", parameters.front().name, word) : "",
                         spec_.name(), fmt::join(names(parameters, keys), ", ")));
    }
    if (!parameter && !modifier)
      c.fail(fmt::format(
                 "unknown key '{}'{}", word,
                 instead(word, names(parameters, keys), fmt::format("'{}' takes", spec_.name()))),
             start);
    const std::string_view key = parameter ? parameter->name : modifier->name;
    if (std::ranges::find(seen_, key) != seen_.end())
      c.fail(fmt::format("'{}' was given already", key), start);
    seen_.push_back(key);
    if (parameter)
      read_parameter(c, *parameter, static_cast<std::size_t>(parameter - parameters.data()));
    else
      read_modifier(c, key, start);
  }

  // Reads one value, or several over time.
  void read_parameter(Cursor& c, const Parameter& parameter, std::size_t argument) {
    std::optional<ValueCurve> curve;
    double& value = spec_.arguments_[argument];
    const bool is_number = parameter.choices.empty();
    if (is_number && c.accept("map:")) {
      read_map(c, parameter, argument);
    } else if (is_number && c.accept('@')) {
      curve = read_key_file(c, parameter);
    } else {
      value = read_argument(c, parameter);
      if (is_number && c.accept(".."))
        curve = read_ramp(c, value, parameter.name, range_of(parameter));
    }
    if (!curve) return;
    value = curve->value(curve->count() - 1);
    spec_.timed_.push_back({argument, *std::move(curve)});
  }

  ValueCurve read_key_file(Cursor& c, const Parameter& parameter) {
    const std::size_t start = c.position(), end = path_end(start);
    const std::string path(c.text().substr(start, end - start));
    c.go_to(end);
    if (path.empty()) c.fail_here("the path of a file with lines TIME VALUE");
    try {
      ValueCurve curve =
          read_keys(read_kernel_file(path), path, parameter.name, range_of(parameter));
      spec_.files_.push_back(path);
      return curve;
    } catch (const SpecError&) {
      throw;
    } catch (const std::runtime_error& error) {
      c.fail(fmt::format("cannot read the file of keys '{}': {}", path, error.what()), start);
    }
  }

  // `at`: where the key stands.
  void refuse_without_kernel(const Cursor& c, std::string_view key, std::size_t at) const {
    if (spec_.make_unmodified({}).convolves()) return;
    if (is_kernel_key(key))
      c.fail(fmt::format("'{}' changes a kernel, and {} has none", key, spec_.name()), at);
  }

  void check_time() const {
    if (!spec_.is_over_time()) return;
    const OverTime& over_time = spec_.modifiers_.over_time;
    if (over_time.phase >= over_time.every)
      cursor_.fail(fmt::format("the phase has to be below every={}", over_time.every), phase_at_);
    const Filter filter = spec_.make();
    const Kernel& kernel = filter.kernels[0];
    const bool negative = std::ranges::any_of(kernel.taps(), [](double tap) { return tap < 0; });
    if (over_time.border == TimeBorder::shrink && (negative || kernel.sum() <= 0))
      cursor_.fail("border=shrink scales what is left of the taps, so that none may be below 0", 0);
    if (over_time.every > 1 && (!spec_.when().always() || spec_.has_place()))
      cursor_.fail("every= leaves out whole frames: it takes no region and no between=", 0);
  }

  void read_modifier(Cursor& c, std::string_view key, std::size_t at) {
    Modifiers& m = spec_.modifiers_;
    const std::size_t start = c.position();
    refuse_without_kernel(c, key, at);
    if (spec_.is_over_time() && key == "rotate")
      c.fail("'rotate' turns a kernel of pixels, and this one is over frames", at);
    if (key == "phase") phase_at_ = start;
    if (read_over_time(c, key, m.over_time)) return;
    const TapsOn taps = !spec_.is_over_time()    ? TapsOn::pixels
                        : spec_.plane_rows_ == 0 ? TapsOn::frames
                                                 : TapsOn::both;
    if (read_kernel_key(c, key, taps, m)) return;
    if ((key == "mask" || PlaceSpec::has_key(key)) && &c != &cursor_)
      c.fail(fmt::format("'{}' is of the picture, not of the kernel: give it after the file's name",
                         key),
             0);
    if (key == "units") {
      if (!spec_.point_spread_) c.fail("'units' is of a picture as a kernel, as file:PSF.png", at);
      const std::string_view word = c.until(":");
      if (word != "luma" && word != "plane")
        c.fail(fmt::format("'{}' is neither luma nor plane", word), start);
      spec_.point_spread_ = word == "luma";
    } else if (key == "mask") {
      read_mask();
    } else if (PlaceSpec::has_key(key)) {
      m.place.read(c, key);
    } else if (key == "alpha") {
      const std::string_view word = c.until(":");
      if (!same_name(word, "weighted") && !same_name(word, "separate"))
        c.fail(fmt::format("'{}' is neither weighted nor separate", word), start);
      m.alpha = same_name(word, "weighted") ? AlphaUse::weighted : AlphaUse::separate;
      alpha_at_ = at;
    } else if (key == "ease") {
      ease_at_ = start;
      ease_ = read_ease(c);
    } else if (key == "between") {
      m.when = read_when(c);
    } else {
      try {
        m.planes = PlaneSelection::parse(c.until(":"));
      } catch (const std::invalid_argument& error) {
        c.fail(error.what(), start);
      }
    }
  }

  void check_alpha() const {
    const Modifiers& m = spec_.modifiers_;
    if (m.alpha != AlphaUse::weighted) return;
    if (const std::string why = why_not_weighted(spec_.make()); !why.empty())
      cursor_.fail(fmt::format("{} cannot weigh colours by their alpha: it {}", spec_.name(), why),
                   alpha_at_, "leave out alpha=weighted");
    if (m.planes && m.planes->mode != PlaneSelection::Mode::all &&
        m.planes->mode != PlaneSelection::Mode::list)
      cursor_.fail("alpha=weighted is for all planes, and planes= leaves out some", alpha_at_,
                   "leave out one");
  }

  // Checks what only the finished filter can tell.
  void check_modifiers() {
    const Modifiers& m = spec_.modifiers_;
    if (mask_given_ && spec_.has_map())
      cursor_.fail("a filter with a map takes no mask beside it", map_at_,
                   "paint both into one picture, or give a region");
    m.place.check(cursor_);
    if (ease_ && spec_.timed_.empty())
      cursor_.fail("ease= is for values that change with time, as sigma=0..8@10-20", ease_at_);
    for (TimedParameter& timed : spec_.timed_)
      if (ease_) timed.curve.set_ease(*ease_);
    const Filter plain = spec_.make_unmodified({});
    const Kernel& kernel = plain.kernels[0];
    if (plain.combine != Combine::linear) {
      if (m.auto_scale) cursor_.fail("scale=auto needs a filter of one kernel; give a number", 0);
      if (m.scale.value_or(1) < 0)
        cursor_.fail("a filter of several kernels takes a positive scale", 0);
    }
    if (m.auto_scale && std::abs(kernel.sum()) <= 1e-9 * kernel.abs_sum())
      cursor_.fail("scale=auto divides by the sum of the taps, which is 0; give a number", 0);
    try {
      check_time();
      spec_.make();
      check_alpha();
      // The smallest kernels are tried too: an anchor may be outside of them.
      if (!spec_.timed_.empty()) spec_.with_values(std::vector<int>(spec_.timed_.size()));
    } catch (const std::invalid_argument& error) {
      cursor_.fail(error.what(), 0);
    }
  }

  Cursor cursor_;
  const std::int64_t max_pixels_;
  const PictureDecoder decoder_;
  const std::string_view* file_bytes_ = nullptr;  // the file's contents, where it need not be read
  std::optional<Ease> ease_;
  std::size_t ease_at_ = 0, phase_at_ = 0, alpha_at_ = 0, map_at_ = 0;
  bool mask_given_ = false;
  Names seen_;  // keys given in the same place
  FilterSpec spec_;
};

FilterSpec FilterSpec::parse(std::string_view text, std::int64_t max_pixels,
                             PictureDecoder decoder) {
  return SpecParser(text, max_pixels, decoder).parse();
}

FilterSpec FilterSpec::parse_file(const std::string& name, std::string_view bytes,
                                  std::int64_t max_pixels) {
  const std::string text = "file:" + name;
  return SpecParser(text, max_pixels).parse(&bytes);
}

std::span<const MatrixForm> matrix_forms() { return forms; }
std::vector<std::string_view> filter_names() { return names(presets(), forms); }
bool is_filter_name(std::string_view word) {
  return std::ranges::any_of(filter_names(), [&](auto name) { return same_name(name, word); });
}
std::span<const ModifierKey> modifier_keys() { return keys; }

}  // namespace vidconv
