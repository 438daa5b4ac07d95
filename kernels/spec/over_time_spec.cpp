#include "kernels/spec/over_time_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "kernels/base/names.h"
#include "kernels/spec/parse.h"

namespace vidconv {
namespace {

constexpr ModifierKey keys_over_time[] = {
    {"border", "replicate|reflect|reflect101|zero|shrink",
     "frames before the first and behind the last; shrink: none, the other taps weigh more"},
    {"cut", "0..1",
     "frames whose luma differs by more in the mean, as a fraction of full scale, are of two "
     "scenes, which are not mixed"},
    {"threshold", "0..1",
     "a sample that differs by more from the filtered frame's, as a fraction of full scale, counts "
     "as that one"},
    {"every", "1..1000", "of so many frames one comes out"},
    {"phase", "0..999", "the first one that comes out, counted from 0"},
};

TimeBorder read_border(Cursor& c) {
  const std::size_t start = c.position();
  const std::string_view word = c.until(":");
  if (const TimeBorderName* border = row_named(time_borders, word, &TimeBorderName::name))
    return border->border;
  std::vector<std::string_view> names;
  for (const TimeBorderName& border : time_borders) names.push_back(border.name);
  const std::string meant = did_you_mean(word, names);
  c.fail(fmt::format("'{}' is no border in time{}", word,
                     meant.empty() ? fmt::format("; there are {}", fmt::join(names, ", ")) : meant),
         start);
}

}  // namespace

bool read_over_time(Cursor& c, std::string_view key, OverTime& over_time) {
  if (key == "border")
    over_time.border = read_border(c);
  else if (key == "cut")
    over_time.cut = c.number(0, 1);
  else if (key == "threshold")
    over_time.threshold = c.number(0, 1);
  else if (key == "every")
    over_time.every = static_cast<int>(c.whole("the number of frames", 1, 1000));
  else if (key == "phase")
    over_time.phase = static_cast<int>(c.whole("the phase", 0, 999));
  else
    return false;
  return true;
}

std::span<const ModifierKey> time_keys() { return keys_over_time; }

}  // namespace vidconv
