#include "kernels/convolver/region_windows.h"

#include <algorithm>
#include <numeric>

#include "kernels/picture/rects.h"

namespace vidconv {
namespace {

constexpr int vectors = 32;  // samples: whole vectors of every sample type begin there

// Widens a window to whole vectors; a larger window does as well.
Rect on_vectors(const Rect& r, int width) {
  const int right = std::min((r.right() + vectors - 1) / vectors * vectors, width);
  return rect_between(r.x / vectors * vectors, r.y, right, r.bottom());
}

bool holds(const Rect& r, const Rect& other) { return around(r, other) == r; }

}  // namespace

void RegionWindows::set(std::span<const Rect> parts, const Reach& reach, BorderMode border,
                        int width, int height, const WindowRule& rule, const Blocks& blocks) {
  needed_.clear();
  const auto window_of = [&](const Rect& part) {
    if (rule.whole) return Rect{0, 0, width, height};
    if (blocks.any()) return blocks.around(part, width, height);
    const Rect window = window_around(part, reach, border, width, height);
    return rule.together ? on_vectors(window, width) : window;
  };
  for (const Rect& part : parts) needed_.push_back(window_of(part));
  windows_.clear();
  parts_.clear();
  rounds_.clear();
  if (rule.together || rule.whole) return add_rounds(rule.together ? rule.worth : 0);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    windows_.push_back(needed_[part]);
    parts_.push_back(part);
    rounds_.push_back({part + 1, part + 1});
  }
}

// Adds each window to the first round in which it overlaps no other.
void RegionWindows::add_rounds(int worth) {
  left_ = needed_;
  join(left_, worth, false);
  open_.resize(needed_.size());
  std::iota(open_.begin(), open_.end(), std::size_t{0});
  while (!left_.empty()) {
    const std::size_t first = windows_.size();
    std::erase_if(left_, [&](const Rect& window) {
      const auto round = std::span(windows_).subspan(first);
      if (std::ranges::any_of(round, [&](const Rect& w) { return overlap(w, window); }))
        return false;
      windows_.push_back(window);
      return true;
    });
    std::erase_if(open_, [&](std::size_t part) {
      const auto round = std::span(windows_).subspan(first);
      if (std::ranges::none_of(round, [&](const Rect& w) { return holds(w, needed_[part]); }))
        return false;
      parts_.push_back(part);
      return true;
    });
    rounds_.push_back({windows_.size(), parts_.size()});
  }
}

}  // namespace vidconv
