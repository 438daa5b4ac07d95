#include "kernels/parse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>

#include "kernels/presets.h"

namespace vidconv {
namespace {

constexpr std::string_view modifier_names[] = {"scale", "bias", "abs", "flip", "rotate", "anchor"};
constexpr std::string_view matrix_names[] = {"matrix", "row", "column", "file"};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r'; }

// A position in one line of text; every error it throws points there.
class Cursor {
 public:
  Cursor(std::string_view text, std::string context) : text_(text), context_(std::move(context)) {}

  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  std::size_t position() const { return at_; }
  void go_to(std::size_t position) { at_ = position; }
  std::string_view text() const { return text_; }

  bool accept(char c) {
    if (peek() != c || at_end()) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (!at_end() && is_blank(peek())) ++at_;
  }
  // Everything up to one of `stops` or the end.
  std::string_view until(std::string_view stops) {
    const std::size_t end = std::min(text_.find_first_of(stops, at_), text_.size());
    return text_.substr(std::exchange(at_, end), end - at_);
  }

  // A decimal, or a fraction of two.
  double number() {
    const std::size_t start = at_;
    double value = decimal();
    if (accept('/')) {
      const std::size_t divisor_at = at_;
      const double divisor = decimal();
      if (divisor == 0) fail("cannot divide by 0", divisor_at);
      value /= divisor;
    }
    if (!std::isfinite(value)) fail("the number is not finite", start);
    return value;
  }

  [[noreturn]] void fail(const std::string& message, std::size_t position) const {
    throw SpecError(std::string(text_), position + 1, context_ + message);
  }
  [[noreturn]] void fail_here(const std::string& expected) const {
    if (at_end()) fail(fmt::format("expected {}, but the text ends", expected), at_);
    fail(fmt::format("expected {}, found '{}'", expected, peek()), at_);
  }

 private:
  double decimal() {
    const std::size_t start = at_;
    if (peek() == '+') ++at_;
    double value = 0;
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
    if (error == std::errc::result_out_of_range) fail("the number is out of range", start);
    if (error != std::errc()) {
      at_ = start;
      fail_here("a number");
    }
    at_ = static_cast<std::size_t>(stop - text_.data());
    return value;
  }

  std::string_view text_;
  std::string context_;  // before every message: the file and the line, or nothing
  std::size_t at_ = 0;
};

// Rows of equal length, collected one by one.
class MatrixRows {
 public:
  // Reads numbers up to `;`, `:` or the end.
  void read_row(Cursor& c) {
    const std::size_t start = c.position();
    int count = 0;
    for (c.skip_blanks(); !c.at_end() && c.peek() != ';' && c.peek() != ':'; c.skip_blanks()) {
      taps_.push_back(c.number());
      ++count;
      if (!c.at_end() && !is_blank(c.peek()) && c.peek() != ';' && c.peek() != ':')
        c.fail_here("a blank, ',' or ';' after the number");
    }
    ++height_;
    if (count == 0) c.fail(fmt::format("row {} has no numbers", height_), start);
    if (height_ > 1 && count != width_)
      c.fail(
          fmt::format("row {} has {} numbers, the rows before it have {}", height_, count, width_),
          start);
    width_ = count;
    if (std::max(width_, height_) > Kernel::max_size)
      c.fail(fmt::format("a kernel may have at most {0}x{0} taps", Kernel::max_size), start);
  }
  bool empty() const { return height_ == 0; }
  Kernel kernel(bool as_column) const {
    return as_column ? Kernel(height_, width_, taps_) : Kernel(width_, height_, taps_);
  }
  int height() const { return height_; }

 private:
  int width_ = 0, height_ = 0;
  std::vector<double> taps_;
};

double in_range(const Cursor& c, std::size_t at, double value, double min, double max) {
  if (value < min || value > max)
    c.fail(fmt::format("{} is outside {} to {}", value, min, max), at);
  return value;
}

// The value of a parameter of a preset.
double read_argument(Cursor& c, const Parameter& parameter) {
  const std::size_t start = c.position();
  if (!parameter.choices.empty()) {
    const std::string_view word = c.until(":");
    const auto it = std::ranges::find(parameter.choices, word);
    if (it == parameter.choices.end())
      c.fail(fmt::format("'{}' is not one of {}", word, fmt::join(parameter.choices, ", ")), start);
    return static_cast<double>(it - parameter.choices.begin());
  }
  const double value = in_range(c, start, c.number(), parameter.min, parameter.max);
  if (parameter.integer && value != std::floor(value))
    c.fail(fmt::format("{} must be a whole number, not {}", parameter.name, value), start);
  return value;
}

bool read_switch(Cursor& c) {
  if (c.accept('0')) return false;
  if (c.accept('1')) return true;
  c.fail_here("0 or 1");
}

int read_index(Cursor& c, int size) {
  const std::size_t start = c.position();
  const double value = in_range(c, start, c.number(), 0, size - 1);
  if (value != std::floor(value)) c.fail("the anchor counts whole pixels", start);
  return static_cast<int>(value);
}

}  // namespace

class SpecParser {
 public:
  explicit SpecParser(std::string_view text) : cursor_(text, "") { spec_.text_ = text; }

  FilterSpec parse() {
    const std::string_view name = cursor_.until(":");
    if (std::ranges::find(matrix_names, name) != std::end(matrix_names))
      read_matrix(std::string(name));
    else
      find_named(name);
    while (!cursor_.at_end()) {
      if (!cursor_.accept(':')) cursor_.fail_here("':' or the end");
      read_key(cursor_);
    }
    check_modifiers();
    return std::move(spec_);
  }

 private:
  void find_named(std::string_view name) {
    spec_.preset_ = find_preset(name);
    if (!spec_.preset_) {
      std::vector<std::string_view> known;
      for (const Preset& preset : presets()) known.push_back(preset.name);
      known.insert(known.end(), std::begin(matrix_names), std::end(matrix_names));
      cursor_.fail(fmt::format("unknown filter '{}'; there are {}", name, fmt::join(known, ", ")),
                   0);
    }
    for (const Parameter& parameter : spec_.preset_->parameters)
      spec_.arguments_.push_back(
          parameter.fallback.value_or(std::numeric_limits<double>::quiet_NaN()));
  }

  void read_matrix(const std::string& name) {
    if (!cursor_.accept(':')) cursor_.fail_here(fmt::format("':' after '{}'", name));
    spec_.matrix_name_ = name;
    MatrixRows rows;
    if (name == "file") {
      read_file(rows);
    } else {
      const std::size_t start = cursor_.position();
      do rows.read_row(cursor_);
      while (cursor_.accept(';'));
      if (name != "matrix" && rows.height() != 1)
        cursor_.fail(fmt::format("'{}' takes one list of numbers", name), start);
    }
    try {
      spec_.matrix_.push_back(rows.kernel(name == "column"));
    } catch (const std::invalid_argument& error) {
      cursor_.fail(error.what(), 0);
    }
  }

  void read_file(MatrixRows& rows) {
    const std::size_t start = cursor_.position();
    const std::string path(cursor_.text().substr(start, path_end(start) - start));
    cursor_.go_to(start + path.size());
    std::ifstream file(path);
    std::string line;
    int number = 0;
    if (!file) cursor_.fail(fmt::format("cannot read the kernel file '{}'", path), start);
    while (std::getline(file, line)) {
      ++number;
      line.erase(std::min(line.find('#'), line.size()));
      Cursor c(line, fmt::format("{}, line {}: ", path, number));
      c.skip_blanks();
      if (c.at_end()) continue;
      if (line.find('=') != std::string::npos)
        read_key(c);
      else
        rows.read_row(c);
      c.skip_blanks();
      if (!c.at_end()) c.fail_here("the end of the line");
    }
    if (file.bad()) cursor_.fail(fmt::format("cannot read the kernel file '{}'", path), start);
    if (rows.empty()) cursor_.fail(fmt::format("the kernel file '{}' has no numbers", path), start);
  }

  // A path ends where ":key=" begins or at the end, so that it may hold colons itself.
  std::size_t path_end(std::size_t start) const {
    const std::string_view text = cursor_.text();
    std::size_t end = text.size();
    for (std::string_view key : modifier_names)
      end = std::min(end, text.find(fmt::format(":{}=", key), start));
    return end;
  }

  // key=value, of the preset or of every filter.
  void read_key(Cursor& c) {
    const std::size_t start = c.position();
    const std::string_view key = c.until("=:");
    if (!c.accept('=')) c.fail_here(fmt::format("'=' after '{}'", key));
    if (spec_.preset_) {
      const auto& parameters = spec_.preset_->parameters;
      const auto it = std::ranges::find(parameters, key, &Parameter::name);
      if (it != parameters.end()) {
        spec_.arguments_[static_cast<std::size_t>(it - parameters.begin())] = read_argument(c, *it);
        return;
      }
    }
    read_modifier(c, key, start);
  }

  void read_modifier(Cursor& c, std::string_view key, std::size_t key_at) {
    Modifiers& m = spec_.modifiers_;
    const std::size_t start = c.position();
    if (key == "scale") {
      m.auto_scale = c.text().substr(start, 4) == "auto";
      if (m.auto_scale)
        c.go_to(start + 4);
      else
        m.scale = c.number();
    } else if (key == "bias") {
      m.bias = in_range(c, start, c.number(), -16, 16);
    } else if (key == "abs") {
      m.absolute = read_switch(c);
    } else if (key == "flip") {
      m.flip = read_switch(c);
    } else if (key == "rotate") {
      const double angle = c.number();
      if (angle != 0 && angle != 90 && angle != 180 && angle != 270)
        c.fail("rotate takes 0, 90, 180 or 270", start);
      m.quarter_turns = static_cast<int>(angle) / 90;
    } else if (key == "anchor") {
      if (spec_.preset_) c.fail("only a matrix takes an anchor", key_at);
      m.has_anchor = true;
      m.anchor_x = read_index(c, Kernel::max_size);
      if (!c.accept(',')) c.fail_here("',' between the anchor's x and y");
      m.anchor_y = read_index(c, Kernel::max_size);
    } else {
      std::vector<std::string_view> known;
      if (spec_.preset_)
        for (const Parameter& p : spec_.preset_->parameters) known.push_back(p.name);
      known.insert(known.end(), std::begin(modifier_names), std::end(modifier_names));
      c.fail(
          fmt::format("unknown key '{}'; '{}' takes {}", key, spec_.name(), fmt::join(known, ", ")),
          key_at);
    }
  }

  // What only the finished filter can tell.
  void check_modifiers() {
    const Modifiers given = std::exchange(spec_.modifiers_, {});
    const Filter plain = spec_.make();
    const Kernel& kernel = plain.kernels[0];
    if (plain.combine != Combine::linear) {
      if (given.auto_scale)
        cursor_.fail("scale=auto needs a filter of one kernel; give a number", 0);
      if (given.scale < 0) cursor_.fail("the length of a gradient takes a positive scale", 0);
    }
    if (given.auto_scale && std::abs(kernel.sum()) <= 1e-9 * kernel.abs_sum())
      cursor_.fail("scale=auto divides by the sum of the taps, which is 0; give a number", 0);
    spec_.modifiers_ = given;
    try {
      spec_.make();
    } catch (const std::invalid_argument& error) {
      cursor_.fail(error.what(), 0);
    }
  }

  Cursor cursor_;
  FilterSpec spec_;
};

FilterSpec FilterSpec::parse(std::string_view text) { return SpecParser(text).parse(); }

std::string_view FilterSpec::name() const { return preset_ ? preset_->name : matrix_name_; }

Filter FilterSpec::make(Subsampling subsampling) const {
  Filter filter;
  if (preset_) {
    filter = preset_->make(Arguments(preset_->parameters, arguments_), subsampling);
  } else {
    filter.kernels = matrix_;
  }
  const double scale = modifiers_.auto_scale ? 1 / filter.kernels[0].sum() : modifiers_.scale;
  for (Kernel& kernel : filter.kernels) {
    if (modifiers_.has_anchor)
      kernel = kernel.with_anchor(modifiers_.anchor_x, modifiers_.anchor_y);
    for (int turn = 0; turn < modifiers_.quarter_turns; ++turn) kernel = kernel.rotated90();
    if (modifiers_.flip) kernel = kernel.flipped();
    if (scale != 1) kernel = kernel.scaled(scale);
  }
  filter.threshold *= scale;
  if (!preset_) filter.purpose = purpose_of(filter.kernels[0]);
  filter.bias = modifiers_.bias.value_or(filter.bias);
  filter.absolute = modifiers_.absolute.value_or(filter.absolute);
  return filter;
}

}  // namespace vidconv
