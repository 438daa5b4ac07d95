// The variant for matrices of 3x3 of codes of 16 bits: multiply-adds of pairs of neighbours into 32
// bits, each line loaded once for three output rows.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/matrix32.cpp"
#define VIDCONV_DOT_PRODUCTS
#include "kernels/cpu/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/band-inl.h"
#include "kernels/cpu/dot-inl.h"
#include "kernels/cpu/int16_codes-inl.h"
#include "kernels/cpu/matrix32_plan.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/store-inl.h"
#include "kernels/cpu/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

#undef VIDCONV_HAVE_MATRIX32
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define VIDCONV_HAVE_MATRIX32 1
#else
#define VIDCONV_HAVE_MATRIX32 0
#endif

bool have_matrix32() { return VIDCONV_HAVE_MATRIX32; }

#if VIDCONV_HAVE_MATRIX32
namespace matrix32 {

using namespace int16;  // NOLINT(google-build-using-namespace)

// `centred`: codes are less an offset of 2^15 to be signed.
template <bool centred, class LastStep>
class Engine {
 public:
  using Lane = std::uint16_t;
  static constexpr int rows = Matrix32Plan::rows;
  static constexpr int offset = 0;

  // `stream`: whether results go past the caches.
  Engine(const Matrix32Plan& plan, bool stream) : plan_(plan), stream_(stream) {}

  void make_passes(const Lane*, Lane*, int) const {}

  void make_rows(const Lane* const* window, Lane* const* out, int width,
                 NextRows<rows>& next) const {
    for_blocks<lanes>(stream_, width, [&](auto way, int begin, int end) HWY_ATTR {
      make_blocks(way, window, out, begin, end, next);
    });
  }

 private:
  // Of a vector of columns, those at even and at odd ones.
  struct Sums {
    HWY_INLINE Sums() {}  // GCC's own is not for this target

    Sum even, odd;
  };

  template <class Way>
  void make_blocks(Way way, const Lane* const* window, Lane* const* out, int begin, int end,
                   NextRows<rows>& next) const {
    const LastStep last_step(plan_.int16);
    const int shift = plan_.int16.shift;
    V16 both[3], even[3], odd[3];
    unrolled<0, 3>([&](auto j) VIDCONV_LAMBDA {
      both[j] = pair_of_taps(plan_.taps[j].both);
      even[j] = pair_of_taps(plan_.taps[j].even);
      odd[j] = pair_of_taps(plan_.taps[j].odd);
    });
    for (int x = begin; x < end; x += lanes) {
      const auto asked = next.columns(x + lanes);
      Sums sums[3];  // of three output rows at a time
      unrolled<0, rows + 2>([&](auto line) VIDCONV_LAMBDA {
        const Lane* const from = window[line] + x;
        const V16 left = load(from - 1), here = load(from), right = load(from + 1);
        unrolled<std::max(0, 2 - line), std::min(3, rows + 2 - line)>([&](auto k) VIDCONV_LAMBDA {
          // Output row line - 2 + k, for which the line lies under the matrix's row 2 - k.
          constexpr int j = 2 - k;
          Sums& sum = sums[(line + k + 1) % 3];
          if constexpr (j == 0) {
            sum.even.start(last_step.start);
            sum.odd.start(last_step.start);
          }
          add(sum.even, left, both[j]);
          add(sum.odd, here, both[j]);
          add(sum.even, right, even[j]);
          add(sum.odd, right, odd[j]);
        });
        if constexpr (line >= 2) {
          constexpr int r = line - 2;
          asked.ask(r);
          const Sums& sum = sums[r % 3];
          const V16 codes[] = {last_step.template codes<Lane>(sum.even.total(), sum.odd.total())};
          if (out[r] != nullptr) store_codes(way, codes, shift, out[r], x, end);
        }
      });
    }
  }

  static HWY_INLINE V16 load(const Lane* from) {
    const V16 codes = hn::BitCast(d16, hn::LoadU(hn::RebindToUnsigned<D16>(), from));
    return centred ? hn::Xor(codes, hn::Set(d16, -32768)) : codes;
  }

  static HWY_INLINE void add(Sum& sum, V16 samples, V16 taps) {
    Sum next = sum;
    next.add(samples, taps);
    settle(next.a);  // GCC would put it off until it is stored
    sum = next;
  }

  const Matrix32Plan& plan_;
  const bool stream_;
};

template <bool centred>
void run(const Plan& plan, const Matrix32Plan& matrix32_plan, const Band& band,
         const WindowLayout& layout, const Windows<std::uint16_t>& windows) {
  const auto run_with = [&](const auto& engine) {
    run_band<std::uint16_t>(engine, plan, reach_of(plan), band, layout, windows);
  };
  const bool stream = goes_past_caches(band.pairs.front().dst);
  if (matrix32_plan.int16.shifts)
    run_with(Engine<centred, Shift<centred>>(matrix32_plan, stream));
  else
    run_with(Engine<centred, Division>(matrix32_plan, stream));
}

}  // namespace matrix32
#endif

void run_matrix32([[maybe_unused]] const Plan& plan,
                  [[maybe_unused]] const Matrix32Plan& matrix32_plan,
                  [[maybe_unused]] const Band& band, [[maybe_unused]] const WindowLayout& layout,
                  [[maybe_unused]] const Windows<std::uint16_t>& windows) {
  note_used_simd(HWY_TARGET);
#if VIDCONV_HAVE_MATRIX32
  if (matrix32_plan.int16.code_offset != 0)
    matrix32::run<true>(plan, matrix32_plan, band, layout, windows);
  else
    matrix32::run<false>(plan, matrix32_plan, band, layout, windows);
#endif
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/banded.h"
#include "kernels/cpu/cpu.h"

namespace vidconv {
HWY_EXPORT(have_matrix32);
HWY_EXPORT(run_matrix32);

Prepared prepare_cpu_matrix32(const Plan& plan, const CudaAbilities&) {
  if (!uses_simd(VIDCONV_LEVELS) || !HWY_DYNAMIC_DISPATCH(have_matrix32)()) return nullptr;
  return prepare_banded<std::uint16_t>(plan, make_matrix32_plan(plan), [](auto&... arguments) {
    HWY_DYNAMIC_DISPATCH(run_matrix32)(arguments...);
  });
}

}  // namespace vidconv
#endif  // HWY_ONCE
