#include "kernels/picture/rects.h"

#include <algorithm>
#include <utility>

namespace vidconv {
namespace {

using Span = std::pair<int, int>;  // from, to

// Returns the samples of row `y` that the rectangles hold, each once, from left to right.
std::vector<Span> spans_of_row(std::span<const Rect> rects, int y) {
  std::vector<Span> spans;
  for (const Rect& r : rects)
    if (!r.empty() && r.y <= y && y < r.bottom()) spans.emplace_back(r.x, r.right());
  std::ranges::sort(spans);
  std::vector<Span> merged;
  for (const Span& span : spans)
    if (!merged.empty() && span.first <= merged.back().second)
      merged.back().second = std::max(merged.back().second, span.second);
    else
      merged.push_back(span);
  return merged;
}

std::vector<Span> gaps(const std::vector<Span>& spans, int width) {
  std::vector<Span> between;
  int at = 0;
  for (const Span& span : spans) {
    if (span.first > at) between.emplace_back(at, span.first);
    at = std::max(at, span.second);
  }
  if (at < width) between.emplace_back(at, width);
  return between;
}

// Returns rectangles as high as spans_at(y) stays the same; it changes only at the `edges`.
template <class F>
std::vector<Rect> stacked(std::vector<int> edges, const F& spans_at) {
  std::ranges::sort(edges);
  std::vector<Rect> all;
  std::vector<Span> last;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const int top = edges[i], bottom = edges[i + 1];
    if (top == bottom) continue;
    std::vector<Span> spans = spans_at(top);
    if (spans == last) {
      for (std::size_t k = all.size() - spans.size(); k < all.size(); ++k)
        all[k].height += bottom - top;
      continue;
    }
    for (const auto& [from, to] : spans) all.push_back(rect_between(from, top, to, bottom));
    last = std::move(spans);
  }
  return all;
}

std::vector<int> edges_of(std::span<const Rect> rects) {
  std::vector<int> edges;
  for (const Rect& r : rects) {
    if (r.empty()) continue;
    edges.push_back(r.y);
    edges.push_back(r.bottom());
  }
  return edges;
}

}  // namespace

std::vector<Rect> disjoint(std::span<const Rect> rects) {
  return stacked(edges_of(rects), [&](int y) { return spans_of_row(rects, y); });
}

std::vector<Rect> outside(std::span<const Rect> rects, int width, int height) {
  std::vector<Rect> inside;
  for (const Rect& r : rects) inside.push_back(cut(r, width, height));
  std::vector<int> edges = edges_of(inside);
  edges.push_back(0);
  edges.push_back(height);
  return stacked(std::move(edges), [&](int y) { return gaps(spans_of_row(inside, y), width); });
}

void join(std::vector<Rect>& rects, int worth, bool apart) {
  std::size_t count = 0;  // rectangles that are done, in front
  for (std::size_t next = 0; next < rects.size(); ++next) {
    Rect rect = rects[next];
    for (std::size_t i = 0; i < count;) {
      const Rect both = around(rect, rects[i]);
      if (area(both) > area(rect) + area(rects[i]) + worth && !(apart && overlap(rect, rects[i]))) {
        ++i;
        continue;
      }
      rect = both;
      rects[i] = rects[--count];
      i = 0;  // the rectangle may have come near others
    }
    rects[count++] = rect;
  }
  rects.resize(count);
}

Rect in_field(const Rect& r, int field) {
  const auto row = [field](int y) { return (y + 1 - field) / 2; };  // the first row at y or below
  return rect_between(r.x, row(r.y), r.right(), row(r.bottom()));
}

Rect touched(const Rect& r, int x, int y) {
  if (r.empty()) return {};
  return rect_between(r.x / x, r.y / y, (r.right() + x - 1) / x, (r.bottom() + y - 1) / y);
}

}  // namespace vidconv
