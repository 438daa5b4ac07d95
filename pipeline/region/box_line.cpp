#include "pipeline/region/box_line.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace vidconv {
namespace {

constexpr double farthest = 1e6;  // pixels from the picture's corner, and a side
constexpr double most_box_frames = 1e12;
constexpr double longest_video = 1e9;  // seconds

}  // namespace

void check_box(const BoxLine& line) {
  for (const double number : {line.x, line.y, line.width, line.height})
    if (!(std::abs(number) <= farthest))
      throw WrongLine{fmt::format("{:g} is outside -{} to {}", number, farthest, farthest)};
  if (line.width <= 0 || line.height <= 0)
    throw WrongLine{fmt::format("a box of {:g} by {:g} holds nothing", line.width, line.height)};
  if (!line.by_time && (line.at < 0 || line.at > most_box_frames))
    throw WrongLine{fmt::format("there is no frame {:.0f}", line.at)};
  if (line.by_time && !(line.at >= 0 && line.at <= longest_video))
    throw WrongLine{fmt::format("{:g} is no time in seconds", line.at)};
}

bool is_ellipse(std::string_view shape) {
  if (shape == "ellipse") return true;
  if (shape == "rectangle") return false;
  throw WrongLine{fmt::format("the shape '{}' is neither rectangle nor ellipse", shape)};
}

int filter_number(double filter) {
  if (!(filter >= 1 && filter <= 1000))
    throw WrongLine{fmt::format("there is no filter {:g}", filter)};
  return static_cast<int>(filter);
}

}  // namespace vidconv
