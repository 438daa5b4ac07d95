// Filter specifications, as a user writes them:
//
//   name[:key=value]...               gaussian:sigma=2       sobel:norm=l1:scale=1/4
//   matrix:ROW;ROW;...[:key=value]... matrix:0 -1 0;-1 5 -1;0 -1 0
//   row:NUMBERS, column:NUMBERS       row:1 2 1:scale=auto
//   file:PATH[:key=value]...          rows of numbers, `#` comments, `key=value` lines
//
// Numbers are decimals or fractions ("1/9"), separated by blanks or commas.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/filter.h"

namespace vidconv {

// What is wrong with a specification, and where.
class SpecError : public std::runtime_error {
 public:
  // `column` counts from 1 in `text`: the specification, or a line of the file that it names.
  SpecError(std::string text, std::size_t column, const std::string& message)
      : std::runtime_error(message), text_(std::move(text)), column_(column) {}
  const std::string& text() const { return text_; }
  std::size_t column() const { return column_; }

 private:
  std::string text_;
  std::size_t column_;
};

struct Preset;

// The keys that every filter takes.
struct Modifiers {
  double scale = 1;              // factor on every response
  bool auto_scale = false;       // scale=auto: 1 / sum of the taps
  std::optional<double> bias;    // added, as a fraction of full scale; else the filter's own
  std::optional<bool> absolute;  // abs=1, abs=0; else the filter's own
  bool flip = false;             // flip=1: mathematical convolution
  int quarter_turns = 0;         // rotate=90|180|270, clockwise
  bool has_anchor = false;       // anchor=x,y
  int anchor_x = 0, anchor_y = 0;
};

// A parsed and checked specification; making the filter from it cannot fail.
class FilterSpec {
 public:
  // Throws SpecError. Reads the file of a "file:" specification.
  static FilterSpec parse(std::string_view text);

  const std::string& text() const { return text_; }  // as it was given
  std::string_view name() const;                     // "gaussian", "matrix", "file", ...

  // The filter for a plane whose samples each stand for `subsampling` luma samples.
  Filter make(Subsampling subsampling = {}) const;

 private:
  friend class SpecParser;

  std::string text_;
  const Preset* preset_ = nullptr;  // nullptr: `matrix_` is the kernel
  std::vector<double> arguments_;   // the preset's, in the order of its table row
  std::string matrix_name_;
  std::vector<Kernel> matrix_;  // exactly one, or none for a preset
  Modifiers modifiers_;
};

}  // namespace vidconv
