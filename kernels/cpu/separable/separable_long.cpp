// The variant for passes that are longer than a matrix may be: rows first, all of them, then
// columns. The line between the passes is kept for each row of the plane, however often borders
// repeat it.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/separable/separable_long.cpp"
#endif
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>

#include "kernels/cpu/simd/arithmetic-inl.h"
#include "kernels/cpu/simd/simd.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {
namespace separable_long {

// Sets out[x] to the sum of taps[k] * rows[k][x], fused, in order.
template <class Value>
HWY_INLINE void sum_lines(const Value* HWY_RESTRICT taps, const Value* const* HWY_RESTRICT rows,
                          std::size_t count, std::size_t width, Value* HWY_RESTRICT out) {
  note_used_simd(HWY_TARGET);
  const hn::ScalableTag<Value> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t x = 0;
  for (; x + 4 * lanes <= width; x += 4 * lanes) {
    auto a = hn::Zero(d), b = a, c = a, e = a;
    for (std::size_t k = 0; k < count; ++k) {
      const auto tap = hn::Set(d, taps[k]);
      const Value* const from = rows[k] + x;
      a = multiply_add(d, tap, hn::LoadU(d, from), a);
      b = multiply_add(d, tap, hn::LoadU(d, from + lanes), b);
      c = multiply_add(d, tap, hn::LoadU(d, from + 2 * lanes), c);
      e = multiply_add(d, tap, hn::LoadU(d, from + 3 * lanes), e);
    }
    hn::StoreU(a, d, out + x);
    hn::StoreU(b, d, out + x + lanes);
    hn::StoreU(c, d, out + x + 2 * lanes);
    hn::StoreU(e, d, out + x + 3 * lanes);
  }
  const hn::CappedTag<Value, 1> one;
  for (; x < width; ++x) {
    auto sum = hn::Zero(one);
    for (std::size_t k = 0; k < count; ++k)
      sum = multiply_add(one, hn::Set(one, taps[k]), hn::LoadU(one, rows[k] + x), sum);
    hn::StoreU(sum, one, out + x);
  }
}

}  // namespace separable_long

// HWY_EXPORT takes no templates.
void sum_long_floats(const float* taps, const float* const* rows, std::size_t count,
                     std::size_t width, float* out) {
  separable_long::sum_lines(taps, rows, count, width, out);
}
void sum_long_doubles(const double* taps, const double* const* rows, std::size_t count,
                      std::size_t width, double* out) {
  separable_long::sum_lines(taps, rows, count, width, out);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/convolver/thread_pool.h"
#include "kernels/convolver/worth.h"
#include "kernels/cpu/variants.h"

namespace vidconv {
HWY_EXPORT(sum_long_floats);
HWY_EXPORT(sum_long_doubles);

namespace {

// Value is the arithmetic, T the sample type.
template <class Value, class T>
class SeparableLong final : public Convolver {
 public:
  SeparableLong(const Plan& plan, int threads)
      : plan_(plan),
        taps_(plan_.terms[0]),
        row_(taps_.row.begin(), taps_.row.end()),
        column_(taps_.column.begin(), taps_.column.end()),
        pool_(shared_thread_pool(threads)),
        scratch_(static_cast<std::size_t>(pool_->threads())) {}

  void run(std::span<const PlanePair> pairs, CudaStream) override {
    for (const PlanePair& pair : pairs) {
      const Plane<const T> src = pair.src.as<const T>();
      const Plane<T> dst = pair.dst.as<T>();
      if (dst.width < 1 || dst.height < 1) continue;
      const std::size_t width = size(dst.width), padded = width + row_.size() - 1;
      between_.resize(std::max(between_.size(), width * (size(dst.height) + 1)));
      for (Scratch& scratch : scratch_) {
        scratch.line.resize(std::max(scratch.line.size(), padded));
        scratch.rows.resize(std::max(row_.size(), column_.size()));
      }
      const double samples = static_cast<double>(dst.width) * dst.height;
      const int threads = worth_threads(
          pool_->threads(), 0.05 * samples * static_cast<double>(row_.size() + column_.size()));
      // Row -1 lies outside of the picture.
      const auto line_of = [&](int y) { return between_.data() + width * size(y + 1); };
      pool_->run(
          dst.height + 1,
          [&](int index, int thread) {
            Scratch& scratch = scratch_[size(thread)];
            expand(src, index - 1, scratch.line.data());
            for (std::size_t i = 0; i < row_.size(); ++i) scratch.rows[i] = scratch.line.data() + i;
            sum(row_, scratch.rows.data(), width, line_of(index - 1));
          },
          threads);
      pool_->run(
          dst.height,
          [&](int y, int thread) {
            Scratch& scratch = scratch_[size(thread)];
            for (int j = 0; j < taps_.height; ++j)
              scratch.rows[size(j)] =
                  line_of(border_index(plan_.border, y - taps_.anchor_y + j, dst.height));
            sum(column_, scratch.rows.data(), width, scratch.line.data());
            store(scratch.line.data(), dst, y);
          },
          threads);
    }
  }

 private:
  struct Scratch {
    std::vector<Value> line;  // a row of the picture with what lies beside it, or a row of sums
    std::vector<const Value*> rows;
  };
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  // Sets a line to row y of the picture, and to what lies beside it.
  void expand(const Plane<const T>& src, int y, Value* line) const {
    const auto outside = static_cast<Value>(plan_.outside);
    Value* const inside = line + taps_.anchor_x;
    const int after = src.width + taps_.width - 1 - taps_.anchor_x;
    if (y < 0) {
      std::fill(line, inside + after, outside);
      return;
    }
    const T* from = src.row(y);
    for (int x = 0; x < src.width; ++x, from += src.step) {
      if constexpr (std::is_same_v<T, float>)
        inside[x] = static_cast<Value>(*from);
      else
        inside[x] = static_cast<Value>(*from >> plan_.sample.shift);
    }
    const auto fill = [&](int x) {
      const int u = border_index(plan_.border, x, src.width);
      inside[x] = u < 0 ? outside : inside[u];
    };
    for (int x = -taps_.anchor_x; x < 0; ++x) fill(x);
    for (int x = src.width; x < after; ++x) fill(x);
  }

  static void sum(const std::vector<Value>& taps, const Value* const* rows, std::size_t width,
                  Value* out) {
    if constexpr (std::is_same_v<Value, float>)
      HWY_DYNAMIC_DISPATCH(sum_long_floats)(taps.data(), rows, taps.size(), width, out);
    else
      HWY_DYNAMIC_DISPATCH(sum_long_doubles)(taps.data(), rows, taps.size(), width, out);
  }

  void store(const Value* sums, const Plane<T>& dst, int y) const {
    T* to = dst.row(y);
    for (int x = 0; x < dst.width; ++x, to += dst.step) {
      const T code = finish<T>(plan_.finish, sums + x, 1);
      if constexpr (std::is_same_v<T, float>)
        *to = code;
      else
        *to = static_cast<T>(code << plan_.sample.shift);
    }
  }

  const Plan plan_;
  const Taps& taps_;
  const std::vector<Value> row_, column_;
  const std::shared_ptr<ThreadPool> pool_;
  std::vector<Value> between_;    // row -1 and all rows of a plane, after the first pass
  std::vector<Scratch> scratch_;  // one per thread
};

template <class Value>
std::unique_ptr<Convolver> make_separable_long(const Plan& plan, int threads) {
  if (plan.sample.storage == Storage::u8)
    return std::make_unique<SeparableLong<Value, std::uint8_t>>(plan, threads);
  if (plan.sample.storage == Storage::u16)
    return std::make_unique<SeparableLong<Value, std::uint16_t>>(plan, threads);
  return std::make_unique<SeparableLong<Value, float>>(plan, threads);
}

}  // namespace

Prepared prepare_cpu_separable_long(const Plan& plan, const CudaAbilities&) {
  const Taps& taps = plan.terms[0];
  const bool is_long = std::max(taps.width, taps.height) > Kernel::max_size;
  if (!is_long || plan.terms.size() != 1 || !taps.dense.empty() || taps.pairwise ||
      plan.arith == Arith::int32 || plan.components != 1 || !uses_simd(VIDCONV_LEVELS))
    return nullptr;
  return [plan](int threads) -> std::unique_ptr<Convolver> {
    return plan.arith == Arith::float32 ? make_separable_long<float>(plan, threads)
                                        : make_separable_long<double>(plan, threads);
  };
}

}  // namespace vidconv
#endif  // HWY_ONCE
