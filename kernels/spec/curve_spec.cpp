#include "kernels/spec/curve_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/base/names.h"
#include "kernels/spec/time_spec.h"

namespace vidconv {
namespace {

struct EaseName {
  std::string_view name;
  Ease ease;
};
constexpr EaseName eases[] = {{"linear", Ease::linear},
                              {"in", Ease::in},
                              {"out", Ease::out},
                              {"in-out", Ease::in_out},
                              {"hold", Ease::hold}};

constexpr std::size_t most_keys = 10'000;

std::int64_t read_at(Cursor& c, bool of_frames) {
  return of_frames ? read_frame_number(c) : read_moment(c);
}

}  // namespace

double read_value(Cursor& c, std::string_view name, const ValueRange& range) {
  if (range.whole)
    return static_cast<double>(c.whole(name, std::lround(range.min), std::lround(range.max)));
  return c.number(range.min, range.max);
}

ValueCurve read_ramp(Cursor& c, double from, std::string_view name, const ValueRange& range) {
  const double to = read_value(c, name, range);
  if (!c.accept('@')) c.fail_here("'@' and when, as in 0..8@10-20");
  const std::size_t start = c.position();
  const bool of_frames = c.peek() == 'f';
  const std::int64_t begin = read_at(c, of_frames);
  if (!c.accept('-')) c.fail_here("'-' and when the last value is reached, as in 10-20");
  if (!of_frames && c.peek() == 'f') c.fail_here("a time as its beginning is");
  const std::int64_t end = read_at(c, of_frames);
  if (end <= begin) c.fail("the value has to have time to change: it ends before it begins", start);
  return ValueCurve({{begin, from}, {end, to}}, of_frames, range.whole);
}

ValueCurve read_keys(std::string_view bytes, const std::string& file, std::string_view name,
                     const ValueRange& range) {
  std::vector<ValueCurve::Key> keys;
  bool of_frames = false;
  read_lines(bytes, file, [&](Cursor& c) {
    const std::size_t start = c.position();
    const bool frame = c.peek() == 'f';
    if (keys.empty()) of_frames = frame;
    if (frame != of_frames)
      c.fail_here(of_frames ? "the number of a frame as in the lines before"
                            : "a time as in the lines before");
    const std::int64_t at = read_at(c, of_frames);
    if (!keys.empty() && at <= keys.back().at) c.fail("it is not after the line before", start);
    const std::size_t after = c.position();
    c.skip_blanks();
    if (c.position() == after) c.fail_here("a blank and the value");
    keys.push_back({at, read_value(c, name, range)});
    if (keys.size() > most_keys)
      c.fail(fmt::format("a file may have at most {} keys", most_keys), start);
  });
  if (keys.empty()) throw SpecError(file, 1, "the file has no keys; a line is TIME VALUE");
  return ValueCurve(std::move(keys), of_frames, range.whole);
}

Ease read_ease(Cursor& c) {
  const std::size_t start = c.position();
  const std::string_view word = c.until(":");
  if (const EaseName* found = row_named(eases, word, &EaseName::name)) return found->ease;
  std::vector<std::string_view> names;
  for (const EaseName& row : eases) names.push_back(row.name);
  c.fail(fmt::format("'{}' is not one of {}{}", word, ease_words(), did_you_mean(word, names)),
         start);
}

std::string_view ease_words() { return "linear|in|out|in-out|hold"; }

}  // namespace vidconv
