// Sums in floats that a variant keeps for each column, of the lines above for the rows below.
// Compiled once for each instruction set.
#if defined(VIDCONV_CPU_KEPT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_KEPT_INL_H
#undef VIDCONV_CPU_KEPT_INL_H
#else
#define VIDCONV_CPU_KEPT_INL_H
#endif

#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <utility>

#include "kernels/cpu/band/band-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vidconv {
namespace HWY_NAMESPACE {

// The sums of one band, in lines of the windows for the variant's own use.
template <class Lane>
class ColumnSums {
 public:
  // `sums`: how many there are for each column. They take as many lines of floats.
  ColumnSums(const WindowLayout& layout, const Windows<Lane>& windows, int sums)
      : windows_(windows), scratch_(layout.scratch()), sums_(sums) {}

  // Selects component k, from column `begin` on, for the calls that follow.
  void select(int k, int begin) {
    const auto component = static_cast<std::size_t>(k);
    begun_ = &all_begun_[component][static_cast<std::size_t>(Middle::part_of(begin))];
    lines_ = reinterpret_cast<float*>(windows_[component].lanes() + scratch_);
    begin_ = begin;
  }
  // Whether a call before this one has begun the sums; this call marks them as begun.
  bool begun() const { return std::exchange(*begun_, true); }
  // Returns the sums of the selected block at column x, all of them one after another; aligned to
  // vectors where x is a multiple of their lanes.
  float* of_block(int x) const { return lines_ + std::ptrdiff_t{begin_ + x} * sums_; }

 private:
  const Windows<Lane> windows_;
  const std::ptrdiff_t scratch_;
  const int sums_;
  std::array<std::array<bool, Middle::parts>, most_packed> all_begun_{};
  bool* begun_ = nullptr;
  float* lines_ = nullptr;
  int begin_ = 0;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
