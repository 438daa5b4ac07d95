// The variant for matrices of 3x3 whose sums fit 16 bits: products of whole vectors, each line
// loaded once for all output rows.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/dense/conv3x3_int16.cpp"
#endif
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band/band-inl.h"
#include "kernels/cpu/dense/conv3x3_int16_plan.h"
#include "kernels/cpu/simd/even_odd-inl.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/simd/store-inl.h"
#include "kernels/cpu/simd/sums16-inl.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// Excludes emulated vectors, which would take minutes to compile.
bool have_matrix16() { return HWY_TARGET != HWY_EMU128; }

#if HWY_TARGET != HWY_EMU128
namespace matrix16 {

using D = hn::ScalableTag<std::uint16_t>;
using V = hn::VFromD<D>;
constexpr D d{};
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));

// A block is two vectors of columns: of bytes the even and the odd ones, else one after the other.
constexpr int block = 2 * lanes;
static_assert(block <= WindowLayout::block);

// The sums of a line's products with each row of the matrix, for one vector of columns.
struct Rows {
  HWY_INLINE Rows() {}  // GCC's own is not for this target

  V upper, middle, lower;
};

// The products of 16-bit codes with any matrix.
class Products {
 public:
  using Lane = std::uint16_t;

  explicit HWY_INLINE Products(const Conv3x3Plan& plan) {
    unrolled<0, 9>([&](int i) VIDCONV_LAMBDA { taps_[i] = hn::Set(d, plan.tap(i)); });
  }

  template <int vector>
  HWY_INLINE Rows of(const Lane* from) const {
    from += vector * lanes;
    const V left = hn::LoadU(d, from - 1), here = hn::LoadU(d, from),
            right = hn::LoadU(d, from + 1);
    const auto row = [&](int j) VIDCONV_LAMBDA {
      return hn::Add(hn::Add(hn::Mul(left, taps_[3 * j]), hn::Mul(here, taps_[3 * j + 1])),
                     hn::Mul(right, taps_[3 * j + 2]));
    };
    Rows rows;
    rows.upper = row(std::integral_constant<int, 0>());
    rows.middle = row(std::integral_constant<int, 1>());
    rows.lower = row(std::integral_constant<int, 2>());
    return rows;
  }

 private:
  V taps_[9];
};

// The products with a matrix that is symmetric left to right and top to bottom.
template <class LaneType>
class SymmetricProducts {
 public:
  using Lane = LaneType;

  explicit HWY_INLINE SymmetricProducts(const Conv3x3Plan& plan)
      : corner_(hn::Set(d, plan.tap(0))),
        upper_(hn::Set(d, plan.tap(1))),
        side_(hn::Set(d, plan.tap(3))),
        centre_(hn::Set(d, plan.tap(4))) {}

  template <int vector>
  HWY_INLINE Rows of(const Lane* from) const {
    V sides, here;
    if constexpr (sizeof(Lane) == 1) {
      const Columns<D> at(from);
      here = vector == 0 ? at.even : at.odd;
      sides = vector == 0 ? hn::Add(at.left, at.odd) : hn::Add(at.even, at.right);
    } else {
      from += vector * lanes;
      sides = hn::Add(hn::LoadU(d, from - 1), hn::LoadU(d, from + 1));
      here = hn::LoadU(d, from);
    }
    Rows rows;
    rows.upper = rows.lower = hn::Add(hn::Mul(sides, corner_), hn::Mul(here, upper_));
    rows.middle = hn::Add(hn::Mul(sides, side_), hn::Mul(here, centre_));
    return rows;
  }

 private:
  const V corner_, upper_, side_, centre_;
};

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
// The products of bytes with such a matrix, two at a time.
template <>
class SymmetricProducts<std::uint8_t> {
 public:
  using Lane = std::uint8_t;

  explicit HWY_INLINE SymmetricProducts(const Conv3x3Plan& plan)
      : corner_upper_(pair(plan.tap(0), plan.tap(1))),
        corner_(pair(0, plan.tap(0))),
        side_centre_(pair(plan.tap(3), plan.tap(4))),
        side_(pair(0, plan.tap(3))) {}

  template <int vector>
  HWY_INLINE Rows of(const Lane* from) const {
    const V8 left = hn::LoadU(d8, from + vector - 1), right = hn::LoadU(d8, from + vector);
    const auto row = [&](V8 left_and_here, V8 right_alone) VIDCONV_LAMBDA {
      return hn::Add(pairs_of_bytes(left, left_and_here), pairs_of_bytes(right, right_alone));
    };
    Rows rows;
    rows.upper = rows.lower = row(corner_upper_, corner_);
    rows.middle = row(side_centre_, side_);
    return rows;
  }

 private:
  using V8 = Sum::V8;
  static constexpr Sum::D8 d8{};

  static HWY_INLINE V8 pair(std::uint16_t first, std::uint16_t second) {
    return hn::BitCast(d8, hn::Set(d, static_cast<std::uint16_t>((first & 0xFF) | second << 8)));
  }

  const V8 corner_upper_, corner_, side_centre_, side_;
};
#endif

template <class ProductsType, bool absolute>
class Engine {
 public:
  using Lane = typename ProductsType::Lane;
  static constexpr int rows = Conv3x3Plan::rows;
  static constexpr int offset = 0;

  // `stream`: whether results go past the caches.
  Engine(const Conv3x3Plan& plan, bool stream) : plan_(plan), stream_(stream) {}

  void make_passes(const Lane*, Lane*, int) const {}

  void make_rows(const Lane* const* window, Lane* const* out, int width,
                 NextRows<rows>& next) const {
    for_blocks<block>(stream_, width, [&](StoreWay way, int begin, int end) HWY_ATTR {
      make_blocks(way, window, out, begin, end, next);
    });
  }

 private:
  void make_blocks(StoreWay way, const Lane* const* window, Lane* const* out, int begin, int end,
                   NextRows<rows>& next) const {
    const ProductsType products(plan_);
    const Codes16<absolute> ending(plan_);
    for (int x = begin; x < end; x += block) {
      const auto asked = next.columns(x + block);
      V sums[3][2];  // sums of three output rows at a time
      unrolled<0, rows + 2>([&](auto line) VIDCONV_LAMBDA {
        unrolled<0, 2>([&](auto u) VIDCONV_LAMBDA {
          const Rows added = products.template of<u>(window[line] + x);
          const auto sum_of = [](V a, V b) VIDCONV_LAMBDA {
            V sum = hn::Add(a, b);
            settle(sum);  // GCC would put it off until it is stored
            return sum;
          };
          V* const of_row[3] = {&sums[(line + 1) % 3][u], &sums[(line + 2) % 3][u],
                                &sums[line % 3][u]};
          if constexpr (line >= 2) *of_row[0] = sum_of(*of_row[0], added.lower);
          if constexpr (line >= 1 && line <= rows) *of_row[1] = sum_of(*of_row[1], added.middle);
          if constexpr (line < rows) *of_row[2] = sum_of(ending.start(), added.upper);
        });
        if constexpr (line >= 2) {
          constexpr int r = line - 2;
          asked.ask(r);
          if (out[r] != nullptr) ending.store(way, sums[r % 3], x, out[r], end);
        }
      });
    }
  }

  const Conv3x3Plan& plan_;
  const bool stream_;
};

template <class ProductsType>
void run(const Plan& plan, const Conv3x3Plan& matrix16_plan, const Band& band,
         const WindowLayout& layout, const Windows<typename ProductsType::Lane>& windows) {
  note_used_simd(HWY_TARGET);
  const auto run_with = [&](auto absolute) {
    const Engine<ProductsType, absolute> engine(matrix16_plan,
                                                goes_past_caches(band.pairs.front().dst));
    run_band<typename ProductsType::Lane>(engine, plan, reach_of(plan), band, layout, windows);
  };
  if (matrix16_plan.absolute)
    run_with(std::true_type());
  else
    run_with(std::false_type());
}

}  // namespace matrix16
#endif

// HWY_EXPORT takes no templates.
void run_matrix16_of_8([[maybe_unused]] const Plan& plan,
                       [[maybe_unused]] const Conv3x3Plan& matrix16_plan,
                       [[maybe_unused]] const Band& band,
                       [[maybe_unused]] const WindowLayout& layout,
                       [[maybe_unused]] const Windows<std::uint8_t>& windows) {
#if HWY_TARGET != HWY_EMU128
  matrix16::run<matrix16::SymmetricProducts<std::uint8_t>>(plan, matrix16_plan, band, layout,
                                                           windows);
#endif
}

void run_matrix16_of_16([[maybe_unused]] const Plan& plan,
                        [[maybe_unused]] const Conv3x3Plan& matrix16_plan,
                        [[maybe_unused]] const Band& band,
                        [[maybe_unused]] const WindowLayout& layout,
                        [[maybe_unused]] const Windows<std::uint16_t>& windows) {
#if HWY_TARGET != HWY_EMU128
  if (matrix16_plan.symmetric)
    matrix16::run<matrix16::SymmetricProducts<std::uint16_t>>(plan, matrix16_plan, band, layout,
                                                              windows);
  else
    matrix16::run<matrix16::Products>(plan, matrix16_plan, band, layout, windows);
#endif
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/band/banded.h"
#include "kernels/cpu/variants.h"

namespace vidconv {
HWY_EXPORT(have_matrix16);
HWY_EXPORT(run_matrix16_of_8);
HWY_EXPORT(run_matrix16_of_16);

Prepared prepare_cpu_conv3x3_int16(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS) || !HWY_DYNAMIC_DISPATCH(have_matrix16)()) return nullptr;
  if (plan.sample.storage == Storage::u8)
    return prepare_banded<std::uint8_t>(plan, make_matrix16_plan(plan), [](auto&... arguments) {
      HWY_DYNAMIC_DISPATCH(run_matrix16_of_8)(arguments...);
    });
  return prepare_banded<std::uint16_t>(plan, make_matrix16_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_matrix16_of_16)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
