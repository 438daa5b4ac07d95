#include "kernels/cpu/dense/conv_u8_avx2_plan.h"

#include <algorithm>
#include <cmath>

#include "kernels/convolver/window.h"

namespace vidconv {
namespace {

constexpr int most_of_byte = 255;  // the largest sample

// Two taps of neighbouring samples.
struct BytePair {
  int first = 0, second = 0;

  bool zero() const { return first == 0 && second == 0; }
  int negative() const { return std::min(first, 0) + std::min(second, 0); }
  int positive() const { return std::max(first, 0) + std::max(second, 0); }
  // Whether multiply-adds of bytes give both products and their sum right.
  bool fits() const {
    const auto one_byte = [](int tap) { return tap >= -128 && tap <= 127; };
    return one_byte(first) && one_byte(second) && positive() * most_of_byte <= 32767 &&
           -negative() * most_of_byte <= 32768;
  }
  std::uint32_t bits() const {
    const auto byte = [](int tap) { return static_cast<std::uint32_t>(tap) & 0xFF; };
    return (byte(first) | byte(second) << 8) * 0x10001U;
  }
};

// Makes groups of steps from taps.
class PairsBuilder {
 public:
  PairsBuilder(const Taps& t, const Reach& reach, bool wide)
      : t_(t), top_(reach.above - t.anchor_y), wide_(wide) {}

  // Returns nothing where a pair does not fit.
  std::optional<std::vector<ConvU8Avx2Plan::Group>> groups() {
    groups_.emplace_back();
    for (int line = 0; line < t_.height + rows - 1; ++line)
      for (int i = 0; i + 1 < t_.width; i += 2) {
        const auto pair = [&](int r) { return BytePair{tap(line - r, i), tap(line - r, i + 1)}; };
        if (!add(line, i, {pair(0), pair(1)}, false)) return std::nullopt;
      }
    const int last = t_.width - 1;
    for (int line = 0; t_.width % 2 != 0 && line < t_.height + rows - 1; line += 2) {
      const auto pair = [&](int r) {
        return BytePair{tap(line - r, last), tap(line - r + 1, last)};
      };
      // There is no line below the last one.
      const bool woven = line + 1 < t_.height + rows - 1;
      if (!add(line, last, {pair(0), pair(1)}, woven)) return std::nullopt;
    }
    for (int r = 0; r < rows; ++r)
      groups_.back().start[r] = static_cast<std::uint16_t>(-lowest_[r]);
    return groups_;
  }

  // Sets the taps of each row's pairs of columns, and of the last column.
  void add_grid(ConvU8Avx2Plan& result) const {
    const int size = t_.width;
    if (t_.height != size || size % 2 == 0 || size < 3 || size > ConvU8Avx2Plan::largest) return;
    result.size = size;
    const int last = size - 1;
    for (int j = 0; j < size; ++j)
      for (int k = 0; k < size / 2; ++k)
        result.grid[TapPairs::pair_at(size, j, k)] =
            BytePair{tap(j, 2 * k), tap(j, 2 * k + 1)}.bits();
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k <= size / 2; ++k)
        result.grid[TapPairs::woven_at(size, r, k)] =
            BytePair{tap(2 * k - r, last), tap(2 * k + 1 - r, last)}.bits();
  }

 private:
  using Step = ConvU8Avx2Plan::Step;
  using Group = ConvU8Avx2Plan::Group;
  static constexpr int rows = ConvU8Avx2Plan::rows;

  int tap(int j, int i) const {
    return j < 0 || j >= t_.height
               ? 0
               : static_cast<int>(t_.dense[static_cast<std::size_t>(j * t_.width + i)]);
  }

  bool add(int line, int i, const BytePair (&pairs)[rows], bool woven) {
    if (!std::ranges::all_of(pairs, &BytePair::fits)) return false;
    if (std::ranges::all_of(pairs, &BytePair::zero)) return true;
    const auto beyond = [&](int r) {
      return highest_[r] - lowest_[r] + (pairs[r].positive() - pairs[r].negative()) * most_of_byte >
             65535;
    };
    if (wide_ && (beyond(0) || beyond(1))) {
      for (int r = 0; r < rows; ++r) {
        groups_.back().start[r] = static_cast<std::uint16_t>(-lowest_[r]);
        lowest_[r] = highest_[r] = 0;
      }
      groups_.emplace_back();
    }
    for (int r = 0; r < rows; ++r) {
      lowest_[r] += pairs[r].negative() * most_of_byte;
      highest_[r] += pairs[r].positive() * most_of_byte;
    }
    Group& group = groups_.back();
    std::vector<Step>& steps = woven             ? group.woven
                               : pairs[1].zero() ? group.first
                               : pairs[0].zero() ? group.second
                                                 : group.both;
    steps.push_back({top_ + line, i - t_.anchor_x, {pairs[0].bits(), pairs[1].bits()}});
    return true;
  }

  const Taps& t_;
  const int top_;
  const bool wide_;
  std::vector<Group> groups_;
  // Bounds of the last group's sums.
  int lowest_[rows] = {}, highest_[rows] = {};
};

}  // namespace

std::optional<ConvU8Avx2Plan> make_pairs_plan(const Plan& plan) {
  const Finish& f = plan.finish;
  if (plan.sample.storage != Storage::u8 || plan.sample.shift != 0 || plan.arith != Arith::int32 ||
      f.combine != Combine::linear || plan.terms.size() != 1)
    return std::nullopt;
  const Taps& t = plan.terms[0];
  constexpr int few = 49;  // two passes cost about as much as a matrix of so many taps
  if (t.dense.empty() || (t.separable() && t.width * t.height > few)) return std::nullopt;
  const auto one_byte = [](double tap) { return tap >= -128 && tap <= 127; };
  if (!std::ranges::all_of(t.dense, one_byte)) return std::nullopt;

  double negative = 0, positive = 0;
  for (double tap : t.dense) (tap < 0 ? negative : positive) += tap * most_of_byte;
  ConvU8Avx2Plan result;
  result.finish = f;
  const auto division = f.absolute ? std::nullopt : find_division16(f);
  const double below_zero = std::max(-(f.offset + negative), 0.0);
  const bool fits = f.offset + positive + below_zero <= 65535;
  // Processors have fewer units for additions that saturate.
  result.saturates = !fits && negative == 0 && f.offset >= 0 && f.offset <= 65535;
  result.wide = !division || !(fits || result.saturates);
  PairsBuilder builder(t, reach_of(plan), result.wide);
  std::optional<std::vector<ConvU8Avx2Plan::Group>> groups = builder.groups();
  if (!groups) return std::nullopt;
  if (!result.wide) builder.add_grid(result);
  result.groups = *std::move(groups);
  if (result.wide) {
    result.saturates = false;
    for (const ConvU8Avx2Plan::Group& group : result.groups)
      for (int r = 0; r < ConvU8Avx2Plan::rows; ++r) result.start[r] -= group.start[r];
  } else {
    result.below_zero = static_cast<std::uint16_t>(below_zero);
    result.lowest = static_cast<std::uint16_t>(f.lowest);
    result.limit = static_cast<std::uint16_t>(f.limit);
    result.division = *division;
    for (std::uint16_t& start : result.groups[0].start)
      start = static_cast<std::uint16_t>(f.offset + static_cast<int>(below_zero));
  }
  return result;
}

}  // namespace vidconv
