#include "api/c/boxes.h"

#include <fmt/format.h>

#include "api/c/call.h"

namespace vidconv {
namespace {

constexpr std::size_t most_boxes = std::size_t{1} << 28;

// Copies one box, which begins `at` bytes behind the first.
BoxLine box_of(const vidconv_box* boxes, std::size_t at, const std::string& name) {
  vidconv_box box;
  std::memcpy(&box, reinterpret_cast<const char*>(boxes) + at, sizeof box);
  const auto check_switch = [&](const char* member, int value) {
    if (value != 0 && value != 1)
      refuse_argument(name.c_str(), fmt::format("{} is {}, not 0 or 1", member, value));
  };
  check_switch("by_time", box.by_time);
  check_switch("ellipse", box.ellipse);
  if (box.filter < 0)
    refuse_argument(name.c_str(), fmt::format("there is no filter {}", box.filter));
  BoxLine line;
  line.id = box.id ? box.id : "";
  line.x = box.x;
  line.y = box.y;
  line.width = box.width;
  line.height = box.height;
  line.ellipse = box.ellipse == 1;
  line.filter = box.filter;
  line.by_time = box.by_time == 1;
  line.at = line.by_time ? box.time : static_cast<double>(box.frame);
  return line;
}

}  // namespace

std::vector<BoxLine> understood(const vidconv_box* boxes, std::size_t count) {
  std::vector<BoxLine> lines;
  if (count == 0) return lines;
  const std::size_t size = needed(boxes, "regions").size;
  if (count > most_boxes) refuse_argument("count", fmt::format("{} boxes", count));
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = fmt::format("regions[{}]", i);
    const std::size_t at = i * size;
    std::size_t its = 0;
    std::memcpy(&its, reinterpret_cast<const char*>(boxes) + at, sizeof its);
    check_struct(reinterpret_cast<const char*>(boxes) + at, its, sizeof(vidconv_box), name.c_str());
    if (its != size)
      refuse_argument(name.c_str(),
                      fmt::format("its size is {}, and that of the first {}", its, size));
    lines.push_back(box_of(boxes, at, name));
  }
  return lines;
}

}  // namespace vidconv
