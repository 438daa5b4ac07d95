// The lines of a picture that are needed at once, and the memory they lie in.
//
// A line is a row of samples in the arithmetic's own type, contiguous and continued beyond both
// ends as the border mode says, so that inner loops know nothing of borders, steps or shifts.
// Source rows go through a ring of slots. A slot holds one row's line and, for each kernel that is
// computed in two passes, the line that its row pass made of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/base/aligned_array.h"
#include "kernels/plan/plan.h"

namespace vidconv {

// How far a plan's kernels reach from an output sample, in samples; each at least 0.
struct Reach {
  int left = 0, right = 0, above = 0, below = 0;
};

inline Reach reach_of(const Plan& plan) {
  Reach reach;
  if (plan.over_time) {
    const Taps& t = plan.terms[0];
    const int rows = plan.plane_rows();
    if (rows == 0) return reach;
    return {.left = t.anchor_x,
            .right = t.width - 1 - t.anchor_x,
            .above = t.anchor_y % rows,
            .below = rows - 1 - t.anchor_y % rows};
  }
  for (const Taps& t : plan.terms) {
    reach.left = std::max(reach.left, t.anchor_x);
    reach.right = std::max(reach.right, t.width - 1 - t.anchor_x);
    reach.above = std::max(reach.above, t.anchor_y);
    reach.below = std::max(reach.below, t.height - 1 - t.anchor_y);
  }
  return reach;
}

// The places of the lines, in elements, for pictures of one width.
class WindowLayout {
 public:
  // Loops may run in blocks of this many samples: every line has room for the last one.
  static constexpr int block = 128;

  WindowLayout() = default;
  // `rows`: output rows that are computed together. `passes`: lines made by row passes, in each
  // slot. `keep_sources`: whether each slot holds the source's line too, as line 0; else all rows
  // share one place for it. `scratch`: lines for the variant's own use.
  WindowLayout(const Reach& reach, int width, int rows, int passes, bool keep_sources,
               int scratch = 0)
      : slots(reach.above + rows + reach.below),
        line(apart(before(reach) + round_up(width, block) + round_up(reach.right + 1))),
        slot(line * (passes + (keep_sources ? 1 : 0))),
        elements(slot * slots + line * (1 + scratch)),
        origin_(before(reach)),
        keep_sources_(keep_sources) {}

  // Return the offsets of sample 0 of the source's line, and of the first line made of it.
  std::ptrdiff_t source(int slot_index) const {
    return origin_ + slot * (keep_sources_ ? slot_index : slots);
  }
  std::ptrdiff_t passes(int slot_index) const {
    return origin_ + slot * slot_index + (keep_sources_ ? line : 0);
  }
  // Returns the offset of the first line for the variant's own use; the others follow.
  std::ptrdiff_t scratch() const { return slot * slots + line; }
  // Returns the offset of sample 0 of a slot's first line.
  std::ptrdiff_t first(int slot_index) const { return origin_ + slot * slot_index; }

  // Whether slots hold the source's line and nothing else, or both kinds of lines.
  bool only_sources() const { return slot == line && keep_sources_; }
  bool mixed() const { return slot > line && keep_sources_; }

  int slots = 1;
  std::ptrdiff_t line = 0;  // from one line to the next
  std::ptrdiff_t slot = 0;  // from one slot to the next
  std::ptrdiff_t elements = 0;

 private:
  static constexpr int round_up(int n, int unit = 64) { return (n + unit - 1) / unit * unit; }
  // Rounds up to an odd number of units, so that the samples of one column lie in different sets of
  // a cache: with 1920 samples a line would be 4096 bytes or 8192, and a few lines would fill a set
  // and evict one another.
  static constexpr int apart(int n, int unit = 64) { return n / unit % 2 == 0 ? n + unit : n; }
  // Never 0: loops over three columns may load a vector that begins before the first.
  static constexpr int before(const Reach& reach) { return round_up(std::max(1, reach.left)); }

  std::ptrdiff_t origin_ = 0;
  bool keep_sources_ = true;
};

// The lines of one thread. They grow when a picture needs more than any before it.
template <class Lane>
class Window {
 public:
  // `sample_bytes` is the size of the lines of samples.
  void reserve(const WindowLayout& layout, std::ptrdiff_t sample_bytes) {
    lanes_.reserve(layout.elements);
    samples_.reserve(sample_bytes);
    if (static_cast<std::size_t>(layout.slots) > rows_.size()) {
      rows_.resize(static_cast<std::size_t>(layout.slots));
      in_place_.resize(static_cast<std::size_t>(layout.slots));
    }
  }
  Lane* lanes() const { return lanes_.get(); }
  // Returns lines of samples in the picture's own type, for interleaved components.
  std::byte* samples() const { return samples_.get(); }
  // Returns room for a pointer to each slot.
  const Lane** rows() { return rows_.data(); }
  // Returns room for a pointer to each slot's source row in the picture.
  const Lane** in_place() { return in_place_.data(); }

 private:
  AlignedArray<Lane> lanes_;  // zeros, because blocks run over a line's end
  AlignedArray<std::byte> samples_;
  std::vector<const Lane*> rows_, in_place_;
};

// The windows of one thread, one for each component of a pixel.
template <class Lane>
using Windows = std::span<Window<Lane>>;

}  // namespace vidconv
