#include "kernels/spec/time_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace vidconv {
namespace {

constexpr double longest = 1e9;             // seconds, as for every time that users give
constexpr std::int64_t most_frames = 1e15;  // more than any video has

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool holds_one(const std::vector<Stretch>& stretches, std::int64_t at) {
  return std::ranges::any_of(stretches, [&](const Stretch& s) { return s.holds(at); });
}

// Reads digits and a point: Cursor::number() would take "1e3", "+1" and "1/3", too.
double plain_decimal(Cursor& c) {
  if (!is_digit(c.peek())) c.fail_here("a time such as 90, 1:30 or 500ms");
  const std::size_t start = c.position();
  while (is_digit(c.peek())) c.go_to(c.position() + 1);
  if (c.peek() == '.') do
      c.go_to(c.position() + 1);
    while (is_digit(c.peek()));
  const std::size_t end = c.position();
  c.go_to(start);
  const double value = c.number();
  if (c.position() != end) c.fail("write a time as 90, 1:30 or 500ms", start);
  return value;
}

// Whether the text behind a colon still belongs to the time: keys begin with a letter.
bool goes_on(const Cursor& c) {
  const std::size_t next = c.position() + 1;
  return c.peek() == ':' && next < c.text().size() && is_digit(c.text()[next]);
}

bool at_end_of_stretch(const Cursor& c) { return c.at_end() || c.peek() == ',' || c.peek() == ':'; }

struct Ends {
  bool of_frames;
  Stretch stretch;
};

Ends read_ends(Cursor& c) {
  const std::size_t start = c.position();
  std::optional<std::int64_t> begin, end;
  const bool begins_with_frame = c.peek() == 'f';
  if (c.peek() != '-') begin = begins_with_frame ? read_frame_number(c) : read_moment(c);
  if (!c.accept('-')) c.fail_here("'-' and the end, which may be left out: 1:00-1:30 or 1:00-");
  const bool ends_with_frame = c.peek() == 'f';
  if (!at_end_of_stretch(c)) {
    if (begin && begins_with_frame != ends_with_frame)
      c.fail_here(begins_with_frame ? "a number of a frame as its beginning is, f200"
                                    : "a time as its beginning is");
    end = ends_with_frame ? read_frame_number(c) : read_moment(c);
  }
  if (!begin && !end) c.fail("a beginning or an end is needed: 1:00-, -1:30 or f100-f200", start);
  const bool of_frames = begins_with_frame || ends_with_frame;
  if (end && of_frames) ++*end;  // the end is the last frame
  if (begin && end && *end <= *begin)
    c.fail(of_frames ? "it ends before it begins"
                     : "nothing lies between: it has to end after it begins",
           start);
  if (end && *end == 0) c.fail("it ends where the input begins", start);
  return {of_frames, {begin.value_or(INT64_MIN), end.value_or(INT64_MAX)}};
}

}  // namespace

bool When::holds(std::int64_t microseconds, std::int64_t number) const {
  return always() || holds_one(times, microseconds) || holds_one(frames, number);
}

std::int64_t read_moment(Cursor& c) {
  const std::size_t start = c.position();
  double value = plain_decimal(c);
  int parts = 1;
  for (; goes_on(c) && parts < 3; ++parts) {
    c.accept(':');
    const std::size_t at = c.position();
    if (value != std::floor(value)) c.fail("only seconds have a fraction", start);
    const double next = plain_decimal(c);
    if (next >= 60) c.fail("minutes and seconds after a colon go up to 59", at);
    value = 60 * value + next;
  }
  if (goes_on(c)) c.fail("a time has hours, minutes and seconds at most: 1:02:03.5", start);
  double unit = 1e6;
  if (parts == 1) {
    if (c.accept("ms"))
      unit = 1e3;
    else if (c.accept("us"))
      unit = 1;
    else
      c.accept('s');
  }
  if (value * unit > longest * 1e6)
    c.fail(fmt::format("a time goes up to {:g} seconds", longest), start);
  return std::llround(value * unit);
}

std::int64_t read_frame_number(Cursor& c) {
  if (!c.accept('f')) c.fail_here("the number of a frame, such as f100");
  const std::size_t start = c.position();
  std::int64_t number = 0;
  while (is_digit(c.peek())) {
    number = 10 * number + (c.peek() - '0');
    if (number > most_frames) c.fail("no video has as many frames", start);
    c.go_to(c.position() + 1);
  }
  if (c.position() == start) c.fail_here("digits after 'f', as in f100");
  return number;
}

When read_when(Cursor& c) {
  When when;
  do {
    const Ends ends = read_ends(c);
    (ends.of_frames ? when.frames : when.times).push_back(ends.stretch);
    if (!at_end_of_stretch(c)) c.fail_here("',' and another stretch, or the end");
  } while (c.accept(','));
  return when;
}

}  // namespace vidconv
