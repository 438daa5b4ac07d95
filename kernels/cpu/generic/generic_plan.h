// A plan with its taps in the type they are computed in.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernels/convolver/window.h"
#include "kernels/plan/plan.h"

namespace vidconv {

template <class Lane>
struct GenericTerm {
  GenericTerm(const Taps& t, const Reach& reach)
      : width(t.width),
        height(t.height),
        left(t.anchor_x),
        top(reach.above - t.anchor_y),
        row_shift(t.row_shift),
        joins(t.joins) {
    // A line between the passes costs about four taps.
    const bool two = t.separable() && (t.dense.empty() || width + height + 4 < width * height);
    if (two) {
      row = cast(t.row);
      column = cast(t.column);
    } else {
      dense = cast(t.dense);
    }
  }

  bool two_passes() const { return dense.empty(); }

  int width, height;
  int left;  // samples from the first tap to the output sample
  int top;   // the window's row under the first row of taps
  int row_shift;
  bool joins;                            // as in Taps
  bool last = true;                      // whether no other term joins this one's kernel
  std::vector<Lane> dense, row, column;  // as in Taps, either `dense` or the others

 private:
  static std::vector<Lane> cast(const std::vector<double>& taps) {
    std::vector<Lane> result;
    for (double tap : taps) result.push_back(static_cast<Lane>(tap));
    return result;
  }
};

template <class Lane>
struct GenericPlan {
  static constexpr int rows = 4;  // output rows computed together

  explicit GenericPlan(const Plan& plan) : finish(plan.finish), shift(plan.sample.shift) {
    const Reach reach = reach_of(plan);
    for (const Taps& t : plan.terms) {
      if (t.joins) terms.back().last = false;
      terms.emplace_back(t, reach);
    }
    const auto all_have = [&](int n) {
      return std::ranges::all_of(
          terms, [n](const GenericTerm<Lane>& t) { return t.width == n && t.height == n; });
    };
    if (!std::is_same_v<Lane, float> || plan.sample.storage == Storage::u8) return;
    if (all_have(3)) size = 3;
  }

  // Whether there are two kernels of that size, of one pass each, over the same samples.
  bool pair() const {
    return size != 0 && terms.size() == 2 && !terms[1].joins && !terms[0].two_passes() &&
           !terms[1].two_passes() && terms[0].left == terms[1].left && terms[0].top == terms[1].top;
  }
  // Whether one sum is the response.
  bool single() const { return finish.combine == Combine::linear && terms.size() == 1; }
  // Returns the number of lines made by row passes; 0 where both passes are made at once.
  int passes() const {
    if (size != 0) return 0;
    return static_cast<int>(std::ranges::count_if(terms, &GenericTerm<Lane>::two_passes));
  }
  bool any_dense() const { return passes() < static_cast<int>(terms.size()); }

  Finish finish;
  int shift;  // shift of stored codes
  std::vector<GenericTerm<Lane>> terms;
  // The width and height of all matrices where there is code for that size; else 0.
  int size = 0;
};

}  // namespace vidconv
