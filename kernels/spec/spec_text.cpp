#include "kernels/spec/spec_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "kernels/base/names.h"
#include "kernels/filter/over_time.h"

namespace vidconv {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Returns a character as it is printed in messages, printable or not.
std::string shown(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code < 0x20 || code >= 0x7F ? fmt::format("byte 0x{:02X}", code) : fmt::format("'{}'", c);
}

}  // namespace

bool Cursor::accept(char c) {
  if (at_end() || peek() != c) return false;
  ++at_;
  return true;
}

bool Cursor::accept(std::string_view word) {
  if (!same_name(text_.substr(at_, word.size()), word)) return false;
  at_ += word.size();
  return true;
}

void Cursor::skip_blanks() {
  while (!at_end() && is_blank(peek())) ++at_;
}

std::string_view Cursor::until(std::string_view stops) {
  const std::size_t start = at_;
  at_ = std::min(text_.find_first_of(stops, start), text_.size());
  return text_.substr(start, at_ - start);
}

double Cursor::number() {
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

double Cursor::number(double min, double max) {
  const std::size_t start = at_;
  const double value = number();
  if (value < min || value > max)
    fail(fmt::format("{} is outside {} to {}", value, min, max), start);
  return value;
}

long Cursor::whole(std::string_view what, long min, long max) {
  const std::size_t start = at_;
  const double value = number(static_cast<double>(min), static_cast<double>(max));
  if (value != std::floor(value))
    fail(fmt::format("{} must be a whole number, not {}", what, value), start);
  return static_cast<long>(value);
}

bool Cursor::zero_or_one() {
  if (accept('0')) return false;
  if (accept('1')) return true;
  fail_here("0 or 1");
}

std::pair<int, int> Cursor::size() {
  const auto width = static_cast<int>(whole("the width", 1, Kernel::max_size));
  if (!accept('x')) fail_here("'x' between width and height");
  return {width, static_cast<int>(whole("the height", 1, Kernel::max_size))};
}

void Cursor::fail(const std::string& message, std::size_t position,
                  const std::string& remedy) const {
  throw SpecError(std::string(text_), position + 1, context_ + message, remedy);
}

void Cursor::fail_here(const std::string& expected) const {
  if (at_end()) fail(fmt::format("expected {}, but the text ends", expected), at_);
  fail(fmt::format("expected {}, found {}", expected, shown(peek())), at_);
}

double Cursor::decimal() {
  const std::size_t start = at_;
  if (accept('+') && peek() == '-') fail_here("a number after '+'");
  double value = 0;
  // "0..8" begins with 0, not with "0.".
  const char* end = text_.data() + std::min(text_.find("..", at_), text_.size());
  const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
  if (error == std::errc::result_out_of_range) fail("the number is out of range", start);
  if (error != std::errc()) {
    at_ = start;
    fail_here("a number");
  }
  at_ = static_cast<std::size_t>(stop - text_.data());
  return value;
}

void MatrixRows::read_row(Cursor& c) {
  const auto row_ends = [&c] {
    return c.at_end() || c.peek() == ';' || c.peek() == '|' || c.peek() == ':';
  };
  const std::size_t start = c.position();
  int count = 0;
  bool tight_comma = false, blank_alone = false;
  for (c.skip_blanks(); !row_ends();) {
    taps_.push_back(c.number());
    ++count;
    const std::size_t after = c.position();
    c.skip_blanks();
    const std::size_t separator = c.position();
    const bool comma = c.accept(',');
    c.skip_blanks();
    tight_comma |= comma && separator == after && c.position() == separator + 1;
    blank_alone |= !comma && separator > after && !row_ends();
    if (tight_comma && blank_alone) {
      const std::string_view row =
          c.text().substr(start, c.text().find_first_of(";:", start) - start);
      std::string points(row);
      std::ranges::replace(points, ',', '.');
      constexpr std::size_t enough = 60;
      if (points.size() > enough) points = points.substr(0, enough) + "...";
      c.fail("commas without blanks and blanks without commas: some of them are decimal commas",
             start, fmt::format("write decimal points, {}, or one separator", points));
    }
    if (comma && row_ends()) c.fail_here("a number after ','");
    if (!comma && !row_ends() && c.position() == after)
      c.fail_here("a blank, ',' or ';' after the number");
    if (count > Kernel::max_size)
      c.fail(fmt::format("a kernel may have at most {0}x{0} taps", Kernel::max_size), start);
  }
  ++height_;
  if (count == 0) c.fail(fmt::format("row {} has no numbers", height_), start);
  if (height_ > 1 && count != width_)
    c.fail(fmt::format("row {} has {} numbers, the rows before it have {}", height_, count, width_),
           start);
  width_ = count;
  if (height_ > Kernel::max_size)
    c.fail(fmt::format("a kernel may have at most {0}x{0} taps", Kernel::max_size), start);
}

void VolumeRows::end_plane(const Cursor& c, std::size_t start) {
  const int rows = height() - plane_rows_ * planes_;
  if (++planes_ == 1) plane_rows_ = rows;
  if (rows != plane_rows_)
    c.fail(fmt::format("plane {} has {} rows, the planes before it have {}", planes_, rows,
                       plane_rows_),
           start);
  if (planes_ > max_time_taps)
    c.fail(fmt::format("a volume may have at most {} planes", max_time_taps), start);
}

std::string in_rows(const std::string& spec, int width) {
  const std::size_t begin = spec.find(':') + 1, end = std::min(spec.find(':', begin), spec.size());
  std::string text = spec.substr(0, begin);
  int count = 0;
  for (std::size_t at = begin; (at = spec.find_first_not_of(" \t\r,;", at)) < end; ++count) {
    const std::size_t stop = std::min(spec.find_first_of(" \t\r,;", at), end);
    if (count > 0) text += count % width == 0 ? ';' : ' ';
    text += spec.substr(at, stop - at);
    at = stop;
  }
  return text + spec.substr(end);
}

void read_lines(std::string_view bytes, const std::string& name,
                const std::function<void(Cursor&)>& read) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);  // some editors' sign of UTF-8
  std::string line;
  for (int number = 1; !bytes.empty(); ++number) {
    const std::size_t length = std::min(bytes.find('\n'), bytes.size());
    line = bytes.substr(0, length);
    bytes.remove_prefix(std::min(length + 1, bytes.size()));
    line.erase(std::min(line.find('#'), line.size()));
    Cursor c(line, fmt::format("{}, line {}: ", name, number));
    c.skip_blanks();
    if (c.at_end()) continue;
    read(c);
    c.skip_blanks();
    if (!c.at_end()) c.fail_here("the end of the line");
  }
}

}  // namespace vidconv
