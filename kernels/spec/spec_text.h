// Reads specifications character by character, with errors that point at the column.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/filter/kernel.h"

namespace vidconv {

// An error in a specification, and its place.
class SpecError : public std::runtime_error {
 public:
  // `column` counts from 1 in `text`: the specification, or a line of the file that it names.
  // `remedy` is what was probably meant, or empty where the message says all.
  SpecError(std::string text, std::size_t column, const std::string& message,
            std::string remedy = {})
      : std::runtime_error(message),
        text_(std::move(text)),
        column_(column),
        remedy_(std::move(remedy)) {}
  const std::string& text() const { return text_; }
  std::size_t column() const { return column_; }
  const std::string& remedy() const { return remedy_; }

 private:
  std::string text_;
  std::size_t column_;
  std::string remedy_;
};

// A position in one line of text, which must outlive it; every error it throws points there.
class Cursor {
 public:
  // `context` comes before every message: the file and the line, or nothing.
  explicit Cursor(std::string_view text, std::string context = {})
      : text_(text), context_(std::move(context)) {}

  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  std::size_t position() const { return at_; }
  void go_to(std::size_t position) { at_ = position; }
  std::string_view text() const { return text_; }

  bool accept(char c);
  bool accept(std::string_view word);  // in any case
  void skip_blanks();
  // Reads everything up to one of `stops` or the end.
  std::string_view until(std::string_view stops);

  // Reads a decimal, or a fraction of two.
  double number();
  double number(double min, double max);
  // Reads a whole number; messages call it `what`.
  long whole(std::string_view what, long min, long max);
  bool zero_or_one();
  std::pair<int, int> size();  // WxH, up to the largest kernel

  [[noreturn]] void fail(const std::string& message, std::size_t position,
                         const std::string& remedy = {}) const;
  [[noreturn]] void fail_here(const std::string& expected) const;

 private:
  double decimal();

  std::string_view text_;
  std::string context_;
  std::size_t at_ = 0;
};

// Reads a text file: `read` gets each line that is not empty, without blanks before it and without
// its comment (`#`), and has to read all of it. `name` is the file's, for messages, which name the
// line too.
void read_lines(std::string_view bytes, const std::string& name,
                const std::function<void(Cursor&)>& read);

// Returns "matrix:NUMBERS:key=value" with the numbers in rows of `width`, and the rest as it is.
std::string in_rows(const std::string& spec, int width);

// Rows of equal length, collected one by one.
class MatrixRows {
 public:
  // Reads numbers up to `;`, `|`, `:` or the end: blanks between them, or commas, or both.
  void read_row(Cursor& c);
  int width() const { return width_; }
  int height() const { return height_; }
  std::vector<double> take() { return std::move(taps_); }  // row by row

 private:
  int width_ = 0, height_ = 0;
  std::vector<double> taps_;
};

// The rows of a matrix, or of the planes of a volume, each below the one before it.
class VolumeRows : public MatrixRows {
 public:
  // Ends a plane: it has to have as many rows as those before it.
  void end_plane(const Cursor& c, std::size_t start);
  int planes() const { return planes_; }
  int plane_rows() const { return plane_rows_; }

 private:
  int planes_ = 0, plane_rows_ = 0;
};

}  // namespace vidconv
