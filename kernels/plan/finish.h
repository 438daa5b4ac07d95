// The last step of every variant on every device: from responses to an output sample.
//
// Compiled without contraction (-ffp-contract=off, --fmad=false), so that each operation below is
// one IEEE operation and both sides give the same bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "kernels/filter/filter.h"
#include "kernels/picture/plane.h"

namespace vidconv {

// y = clamp(floor((n + half) / divisor), min, max), where n is response + offset or its absolute
// value: see docs/numerics.md. A plain value, passed to devices as it is; made by make_plan().
struct Finish {
  Combine combine = Combine::linear;
  bool absolute = false;
  int min = 0, max = 255;  // smallest and largest code of a result

  // int32 arithmetic. From `lowest` = min * divisor to `limit`, floor(n / divisor) is a code from
  // min to max. set_divisor() sets the members that divide.
  std::int32_t offset = 0;
  std::int32_t half = 0;
  std::int32_t lowest = 0, limit = 0;
  std::int32_t threshold = 0;              // for Combine::unsharp
  std::uint32_t reciprocal = 0x8000'0001;  // n / divisor = (n * reciprocal) >> (31 + log2)
  int log2 = 0;                            // log2 of the divisor, rounded up

  // Real arithmetic (float or double), and l2 in any arithmetic.
  double real_divisor = 1;
  double real_offset = 0;
  double real_half = 0;
  double real_threshold = 0;

  std::uint32_t divisor = 1;  // for int32 arithmetic; last, because devices do not read it

  constexpr bool divides_by_power_of_two() const { return divisor == 1U << log2; }

  bool operator==(const Finish&) const = default;
};

// Sets a divisor in [1, 2^31). The reciprocal serves every n of 31 bits (Granlund and Montgomery,
// "Division by invariant integers using multiplication", PLDI 1994, theorem 4.2 with N = 31).
constexpr void set_divisor(Finish& f, std::uint32_t divisor) {
  f.divisor = divisor;
  f.log2 = static_cast<int>(std::bit_width(divisor - 1));
  f.reciprocal = static_cast<std::uint32_t>((std::uint64_t{1} << (31 + f.log2)) / divisor + 1);
}

VIDCONV_HD inline int finish_int(const Finish& f, std::int32_t response) {
  std::int32_t n = response + f.offset;
  if (f.absolute && n < 0) n = -n;
  n += f.half;
  n = n < f.lowest ? f.lowest : n > f.limit ? f.limit : n;
  // The upper half of a product of 32-bit numbers is one instruction.
  const std::uint32_t twice = 2 * static_cast<std::uint32_t>(n);
  const std::uint64_t product = std::uint64_t{twice} * f.reciprocal;
  // The mask changes nothing, but says that the shift needs no test for 32 and more.
  return static_cast<int>(static_cast<std::uint32_t>(product >> 32) >> (f.log2 & 31));
}

// T is the sample type: u8 and u16 are rounded and clamped, float is left as it is.
template <class T, class Real>
VIDCONV_HD inline T finish_real(const Finish& f, Real response) {
  Real v = response + static_cast<Real>(f.real_offset);
  if (f.absolute) v = v < 0 ? -v : v;
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<T>(v);
  } else {
    v = v + static_cast<Real>(f.real_half);
    if (f.real_divisor != 1) v = v / static_cast<Real>(f.real_divisor);
    using std::floor;
    v = floor(v);
    const Real min = static_cast<Real>(f.min), max = static_cast<Real>(f.max);
    return static_cast<T>(v < min ? min : v > max ? max : v);
  }
}

// Finishes a linear filter's response, or what others combine without Combine::l2.
template <class T, class Acc>
VIDCONV_HD inline T finish_response(const Finish& f, Acc response) {
  if constexpr (std::is_same_v<Acc, std::int32_t>)
    return static_cast<T>(finish_int(f, response));
  else
    return finish_real<T>(f, response);
}

// Combines the responses of a filter's kernels, in order, into one value. Acc is std::int32_t,
// float or double.
template <class Acc>
class Combined {
 public:
  VIDCONV_HD void first(const Finish& f, Acc response) {
    if (f.combine == Combine::l2)
      squares_ = square(response);
    else
      value_ = f.combine == Combine::l1 || f.combine == Combine::max ? size(response) : response;
  }

  VIDCONV_HD void add(const Finish& f, Acc response) {
    if (f.combine == Combine::l2) {
      squares_ = squares_ + square(response);
      return;
    }
    if (f.combine == Combine::unsharp) {
      value_ = value_ + beyond_threshold(f, response);
      return;
    }
    const Acc r = f.combine == Combine::signed_max ? response : size(response);
    value_ = f.combine == Combine::l1 ? value_ + r : r > value_ ? r : value_;
  }

  template <class T>
  VIDCONV_HD T finish(const Finish& f) const {
    return f.combine == Combine::l2 ? finish_norm<T>(f) : finish_response<T>(f, value_);
  }

  // finish() where it is known whether `combine` is l2.
  VIDCONV_HD Acc value() const { return value_; }  // for finish_response()
  template <class T>
  VIDCONV_HD T finish_norm(const Finish& f) const {
    using std::sqrt;
    return finish_real<T, Real>(f, sqrt(squares_));
  }

 private:
  using Real = std::conditional_t<std::is_same_v<Acc, double>, double, float>;

  static VIDCONV_HD Acc size(Acc response) { return response < 0 ? -response : response; }

  static VIDCONV_HD Acc beyond_threshold(const Finish& f, Acc response) {
    Acc rest;
    if constexpr (std::is_same_v<Acc, std::int32_t>)
      rest = size(response) - f.threshold;
    else
      rest = size(response) - static_cast<Acc>(f.real_threshold);
    if (rest < 0) rest = 0;  // a NaN stays one
    return response < 0 ? -rest : rest;
  }

  static VIDCONV_HD Real square(Acc response) {
    const Real r = static_cast<Real>(response);
    return r * r;
  }

  union {  // share a register: Finish::combine says which is in use
    Acc value_;
    Real squares_;
  };
};

// Does all of it: `responses` are the values of the `count` kernels of the filter.
template <class T, class Acc>
VIDCONV_HD inline T finish(const Finish& f, const Acc* responses, int count) {
  Combined<Acc> combined;
  combined.first(f, responses[0]);
  for (int k = 1; k < count; ++k) combined.add(f, responses[k]);
  return combined.template finish<T>(f);
}

}  // namespace vidconv
