#include "kernels/spec/kernel_keys.h"

#include <fmt/format.h>

#include <algorithm>

namespace vidconv {
namespace {

void refuse_change(const Cursor& c, std::string_view key) {
  const std::string_view rest = c.text().substr(c.position());
  const std::string_view value = rest.substr(0, rest.find(':'));
  const std::size_t at = value.starts_with('@') ? 0 : value.find("..");
  if (at != value.npos)
    c.fail(fmt::format("'{}' does not change with time: parameters of named filters do", key),
           c.position() + at);
}

void read_anchor(Cursor& c, TapsOn taps, Modifiers& m) {
  m.has_anchor = true;
  if (taps == TapsOn::frames) {
    m.anchor_x = static_cast<int>(c.whole("the anchor", 0, max_time_taps - 1));
    return;
  }
  m.anchor_x = static_cast<int>(c.whole("the anchor's x", 0, Kernel::max_size - 1));
  if (!c.accept(',')) c.fail_here("',' between the anchor's x and y");
  m.anchor_y = static_cast<int>(c.whole("the anchor's y", 0, Kernel::max_size - 1));
  if (taps == TapsOn::pixels) return;
  if (!c.accept(',')) c.fail_here("',' and the anchor's frame: a volume's is x,y,frame");
  m.anchor_frame = static_cast<int>(c.whole("the anchor's frame", 0, max_time_taps - 1));
}

}  // namespace

bool is_kernel_key(std::string_view key) {
  constexpr std::string_view keys[] = {"scale", "bias", "abs", "flip", "rotate", "anchor"};
  return std::ranges::find(keys, key) != std::end(keys);
}

bool read_kernel_key(Cursor& c, std::string_view key, TapsOn taps, Modifiers& m) {
  if (key == "scale" || key == "bias") refuse_change(c, key);
  if (key == "scale") {
    m.auto_scale = c.accept("auto");
    m.scale.reset();
    // The limit keeps every tap of a preset below Kernel::max_tap on any plane.
    if (!m.auto_scale) m.scale = c.number(-1e6, 1e6);
  } else if (key == "bias") {
    m.bias = c.number(-16, 16);
  } else if (key == "abs") {
    m.absolute = c.zero_or_one();
  } else if (key == "flip") {
    m.flip = c.zero_or_one();
  } else if (key == "rotate") {
    const std::size_t start = c.position();
    const double angle = c.number();
    if (angle != 0 && angle != 90 && angle != 180 && angle != 270)
      c.fail("rotate takes 0, 90, 180 or 270", start);
    m.quarter_turns = static_cast<int>(angle) / 90;
  } else if (key == "anchor") {
    read_anchor(c, taps, m);
  } else {
    return false;
  }
  return true;
}

}  // namespace vidconv
