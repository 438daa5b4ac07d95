// The variant for plans whose samples count by weights: sums of lines of doubles, vectors at a
// time.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/weighted/weighted_means.cpp"
#endif
#define VIDCONV_ANY_CPU
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>

#include "kernels/cpu/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace vidconv {
namespace HWY_NAMESPACE {
namespace weighted_means {

namespace hn = hwy::HWY_NAMESPACE;

// Sets out[x] to the sum of taps[k] * rows[k][x], or adds it there. Each operation is rounded.
void sum_rows(const double* HWY_RESTRICT taps, const double* const* HWY_RESTRICT rows,
              std::size_t count, std::size_t width, bool adds, double* HWY_RESTRICT out) {
  note_used_simd(HWY_TARGET);
  const hn::CappedTag<double, 8> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t x = 0;
  const auto finish = [&](std::size_t at, auto sum) HWY_ATTR {
    hn::StoreU(adds ? hn::Add(hn::LoadU(d, out + at), sum) : sum, d, out + at);
  };
  for (; x + 4 * lanes <= width; x += 4 * lanes) {
    auto a = hn::Zero(d), b = a, c = a, e = a;
    for (std::size_t k = 0; k < count; ++k) {
      const auto tap = hn::Set(d, taps[k]);
      const double* const from = rows[k] + x;
      a = hn::Add(a, hn::Mul(tap, hn::LoadU(d, from)));
      b = hn::Add(b, hn::Mul(tap, hn::LoadU(d, from + lanes)));
      c = hn::Add(c, hn::Mul(tap, hn::LoadU(d, from + 2 * lanes)));
      e = hn::Add(e, hn::Mul(tap, hn::LoadU(d, from + 3 * lanes)));
    }
    finish(x, a);
    finish(x + lanes, b);
    finish(x + 2 * lanes, c);
    finish(x + 3 * lanes, e);
  }
  for (; x < width; ++x) {
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) sum = sum + taps[k] * rows[k][x];
    out[x] = adds ? out[x] + sum : sum;
  }
}

}  // namespace weighted_means

// HWY_EXPORT takes no names of namespaces.
void run_weighted_sums(const double* taps, const double* const* rows, std::size_t count,
                       std::size_t width, bool adds, double* out) {
  weighted_means::sum_rows(taps, rows, count, width, adds, out);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/convolver/thread_pool.h"
#include "kernels/convolver/weighted_pairs.h"
#include "kernels/convolver/worth.h"
#include "kernels/cpu/variants.h"
#include "kernels/plan/weighted.h"

namespace vidconv {
HWY_EXPORT(run_weighted_sums);

namespace {

constexpr std::size_t most_colours = 3;
// The sums of a line: those of terms, one for each colour, and behind them those of weights.
constexpr std::size_t most_sums = most_colours + 1;

// Lines of doubles that a thread works on.
struct WeightedScratch {
  std::vector<double> weights, line;  // a row of the picture, with what lies beside it
  std::vector<double> window;         // lines under the kernel, in two passes their sums
  std::array<std::vector<double>, most_sums> sums;  // an output row's
  std::vector<const double*> rows;
};

// The pairs of one picture that have the same weights.
template <class T>
class WeightedRows {
 public:
  WeightedRows(const Plan& plan, std::span<const PlanePair> pairs, const ConstBytePlane& weights)
      : taps_(plan.terms[0]),
        math_(weighted_math(plan)),
        pairs_(pairs),
        weights_(weights.as<const T>()),
        width_(pairs.front().dst.width),
        height_(pairs.front().dst.height),
        two_passes_(taps_.dense.empty()) {}

  void make(int first, int last, WeightedScratch& scratch) const {
    const std::size_t lines = size(taps_.height), sums = pairs_.size() + 1;
    scratch.window.resize(std::max(scratch.window.size(), lines * sums * pitch()));
    for (std::vector<double>* line : {&scratch.line, &scratch.weights})
      line->resize(std::max(line->size(), padded()));
    for (std::vector<double>& of_row : scratch.sums)
      of_row.resize(std::max(of_row.size(), size(width_)));
    scratch.rows.resize(std::max(scratch.rows.size(), size(std::max(taps_.width, taps_.height))));
    int next = first - taps_.anchor_y;  // the first row that is not in the window
    for (int y = first; y < last; ++y) {
      const int top = y - taps_.anchor_y;
      for (; next < top + taps_.height; ++next) add_line(next, scratch);
      for (std::size_t k = 0; k < sums; ++k) sum_lines(top, k, scratch);
      for (std::size_t k = 0; k < pairs_.size(); ++k) store(y, k, scratch);
    }
  }

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }
  std::size_t padded() const { return size(width_) + size(taps_.width) - 1; }
  std::size_t pitch() const { return two_passes_ ? size(width_) : padded(); }

  // Returns the place in the window of sums k of a row, which may lie outside of the picture.
  double* line_at(int row, std::size_t k, WeightedScratch& scratch) const {
    const int turn = row % taps_.height;
    const std::size_t slot = size(turn < 0 ? turn + taps_.height : turn);
    return scratch.window.data() + (slot * (pairs_.size() + 1) + k) * pitch();
  }

  void add_line(int row, WeightedScratch& scratch) const {
    const std::size_t last = pairs_.size();
    const int v = border_index(math_.border, row, height_);
    double* const weights = two_passes_ ? scratch.weights.data() : line_at(row, last, scratch);
    weigh(v, weights);
    for (std::size_t k = 0; k < last; ++k) {
      double* const to = line_at(row, k, scratch);
      double* const line = two_passes_ ? scratch.line.data() : to;
      multiply(v, k, weights, line);
      if (two_passes_) sum_along(line, taps_.row.data(), false, scratch, to);
    }
    if (two_passes_)
      sum_along(weights, taps_.row.data(), false, scratch, line_at(row, last, scratch));
  }

  // Sets a line to the weights of row v of the picture; below 0: outside of it.
  void weigh(int v, double* line) const {
    double* const inside = line + taps_.anchor_x;
    if (v >= 0)
      for (int x = 0; x < width_; ++x) inside[x] = weight_at(math_, weights_, x, v);
    fill_beside(v, math_.outside_weight, line);
  }

  // Sets a line to the terms of colour k of row v.
  void multiply(int v, std::size_t k, const double* weights, double* line) const {
    double* const inside = line + taps_.anchor_x;
    if (v >= 0) {
      const Plane<const T> src = pairs_[k].src.template as<const T>();
      const T* from = src.row(v);
      for (int x = 0; x < width_; ++x, from += src.step)
        inside[x] = weighted_term(weights[taps_.anchor_x + x], weighted_value(*from, math_.shift));
    }
    fill_beside(v, math_.outside_term, line);
  }

  void fill_beside(int v, double outside, double* line) const {
    if (v < 0) {
      std::fill_n(line, padded(), outside);
      return;
    }
    double* const inside = line + taps_.anchor_x;
    const auto fill = [&](int x) {
      const int u = border_index(math_.border, x, width_);
      inside[x] = u < 0 ? outside : inside[u];
    };
    for (int x = -taps_.anchor_x; x < 0; ++x) fill(x);
    for (int x = width_; x < width_ + taps_.width - 1 - taps_.anchor_x; ++x) fill(x);
  }

  void sum_along(const double* line, const double* taps, bool adds, WeightedScratch& scratch,
                 double* out) const {
    const std::size_t count = size(taps_.width);
    for (std::size_t i = 0; i < count; ++i) scratch.rows[i] = line + i;
    HWY_DYNAMIC_DISPATCH(run_weighted_sums)
    (taps, scratch.rows.data(), count, size(width_), adds, out);
  }

  // Makes sums k of an output row; `top`: the first row under the kernel.
  void sum_lines(int top, std::size_t k, WeightedScratch& scratch) const {
    double* const out = scratch.sums[k].data();
    if (!two_passes_) {
      const double* taps = taps_.dense.data();
      for (int j = 0; j < taps_.height; ++j, taps += taps_.width)
        sum_along(line_at(top + j, k, scratch), taps, j > 0, scratch, out);
      return;
    }
    for (int j = 0; j < taps_.height; ++j) scratch.rows[size(j)] = line_at(top + j, k, scratch);
    HWY_DYNAMIC_DISPATCH(run_weighted_sums)
    (taps_.column.data(), scratch.rows.data(), size(taps_.height), size(width_), false, out);
  }

  void store(int y, std::size_t k, const WeightedScratch& scratch) const {
    const Plane<const T> src = pairs_[k].src.template as<const T>();
    const Plane<T> dst = pairs_[k].dst.template as<T>();
    const T* from = src.row(y);
    T* to = dst.row(y);
    const double* const terms = scratch.sums[k].data();
    const double* const weights = scratch.sums[pairs_.size()].data();
    for (int x = 0; x < width_; ++x, from += src.step, to += dst.step)
      *to = weighted_mean(math_, terms[x], weights[x], *from);
  }

  const Taps& taps_;
  const WeightedMath math_;
  const std::span<const PlanePair> pairs_;
  const Plane<const T> weights_;
  const int width_, height_;
  const bool two_passes_;
};

class WeightedMeans final : public Convolver {
 public:
  WeightedMeans(const Plan& plan, int threads)
      : plan_(plan),
        pool_(shared_thread_pool(threads)),
        scratch_(static_cast<std::size_t>(pool_->threads())) {}

  void run(std::span<const PlanePair> pairs, CudaStream) override {
    for_weighted_groups(
        pairs, [&](std::span<const PlanePair> group, const ConstBytePlane& weights) {
          for (; !group.empty(); group = group.subspan(std::min(group.size(), most_colours)))
            make(group.first(std::min(group.size(), most_colours)), weights);
        });
  }

 private:
  void make(std::span<const PlanePair> pairs, const ConstBytePlane& weights) {
    if (plan_.sample.storage == Storage::u8) return make<std::uint8_t>(pairs, weights);
    if (plan_.sample.storage == Storage::u16) return make<std::uint16_t>(pairs, weights);
    make<float>(pairs, weights);
  }

  template <class T>
  void make(std::span<const PlanePair> pairs, const ConstBytePlane& weights) {
    const BytePlane& dst = pairs.front().dst;
    if (dst.width < 1 || dst.height < 1) return;
    const Taps& taps = plan_.terms[0];
    const double samples = static_cast<double>(dst.width) * dst.height;
    const int each = taps.dense.empty() ? taps.width + taps.height : taps.width * taps.height;
    const int threads = worth_threads(
        pool_->threads(), 0.25 * samples * static_cast<double>(pairs.size() + 1) * each);
    // Each band reads the rows around it again.
    const int least = std::max(16, 2 * taps.height);
    const int bands = std::clamp(dst.height / least, 1, 4 * threads);
    const WeightedRows<T> rows(plan_, pairs, weights);
    pool_->run(
        bands,
        [&](int band, int thread) {
          const auto edge = [&](int b) {
            return static_cast<int>(std::int64_t{dst.height} * b / bands);
          };
          rows.make(edge(band), edge(band + 1), scratch_[static_cast<std::size_t>(thread)]);
        },
        threads);
  }

  const Plan plan_;
  const std::shared_ptr<ThreadPool> pool_;
  std::vector<WeightedScratch> scratch_;  // one per thread
};

}  // namespace

Prepared prepare_cpu_weighted_means(const Plan& plan, const CudaAbilities&) {
  if (plan.operation() != Operation::weighted) return nullptr;
  return [plan](int threads) { return std::make_unique<WeightedMeans>(plan, threads); };
}

}  // namespace vidconv
#endif  // HWY_ONCE
