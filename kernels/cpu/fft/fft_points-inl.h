// Fourier transforms of as many lines at once as a vector has lanes. Compiled once for each
// instruction set.
//
// Four points at a time (radix 4): forward by decimation in frequency (Gentleman and Sande), back
// by decimation in time (Cooley and Tukey), so that neither has to reorder points.
#if defined(VIDCONV_CPU_FFT_POINTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIDCONV_CPU_FFT_POINTS_INL_H
#undef VIDCONV_CPU_FFT_POINTS_INL_H
#else
#define VIDCONV_CPU_FFT_POINTS_INL_H
#endif

#include <hwy/highway.h>

#include "kernels/cpu/fft/fft_tile.h"
#include "kernels/cpu/simd/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most as many lanes as a group has lines.
using FftTag = hn::CappedTag<double, fft_group>;
using FftVec = hn::VFromD<FftTag>;
inline constexpr int fft_lanes = static_cast<int>(hn::MaxLanes(FftTag()));

// A complex number in each lane.
struct Point {
  FftVec real, imaginary;

  // A constructor of the compiler's own would be for another machine, as in Sum (dot-inl.h).
  HWY_INLINE Point() {}
  HWY_INLINE Point(FftVec r, FftVec i) : real(r), imaginary(i) {}
};

HWY_INLINE Point operator+(Point a, Point b) {
  return {hn::Add(a.real, b.real), hn::Add(a.imaginary, b.imaginary)};
}
HWY_INLINE Point operator-(Point a, Point b) {
  return {hn::Sub(a.real, b.real), hn::Sub(a.imaginary, b.imaginary)};
}
// Return a + i b and a - i b.
HWY_INLINE Point plus_turned(Point a, Point b) {
  return {hn::Sub(a.real, b.imaginary), hn::Add(a.imaginary, b.real)};
}
HWY_INLINE Point minus_turned(Point a, Point b) {
  return {hn::Add(a.real, b.imaginary), hn::Sub(a.imaginary, b.real)};
}
HWY_INLINE Point times(Point a, Point b) {
  return {hn::NegMulAdd(a.imaginary, b.imaginary, hn::Mul(a.real, b.real)),
          hn::MulAdd(a.imaginary, b.real, hn::Mul(a.real, b.imaginary))};
}
HWY_INLINE Point times_conjugate(Point a, Point b) {
  return {hn::MulAdd(a.imaginary, b.imaginary, hn::Mul(a.real, b.real)),
          hn::NegMulAdd(a.real, b.imaginary, hn::Mul(a.imaginary, b.real))};
}

// Points that lie side by side: for each the real parts of all lanes, and `apart` further the
// imaginary ones.
template <int apart, class Double = double>
class PointsInRow {
 public:
  explicit HWY_INLINE PointsInRow(Double* points) : points_(points) {}
  HWY_INLINE Point get(int k) const {
    const double* const at = points_ + k * (2 * apart);
    return {hn::Load(FftTag(), at), hn::Load(FftTag(), at + apart)};
  }
  HWY_INLINE void put(int k, Point p) const {
    double* const at = points_ + k * (2 * apart);
    hn::Store(p.real, FftTag(), at);
    hn::Store(p.imaginary, FftTag(), at + apart);
  }

 private:
  Double* points_;
};
// The points of a line, as steps keep them.
using FftLine = PointsInRow<fft_lanes>;

// The factors of three points that follow the first one of four.
struct Factors {
  Point first, second, third;

  explicit HWY_INLINE Factors(const double* factors)
      : first(at(factors)), second(at(factors + 2)), third(at(factors + 4)) {}

 private:
  static HWY_INLINE Point at(const double* factor) {
    return {hn::Set(FftTag(), factor[0]), hn::Set(FftTag(), factor[1])};
  }
};

// Transforms four points to frequencies 0, 1, 2, 3.
HWY_INLINE void forward4(Point& a, Point& b, Point& c, Point& d) {
  const Point ac = a + c, a_c = a - c, bd = b + d, b_d = b - d;
  a = ac + bd;
  b = minus_turned(a_c, b_d);
  c = ac - bd;
  d = plus_turned(a_c, b_d);
}
// Transforms them back, to points four times as large.
HWY_INLINE void back4(Point& a, Point& b, Point& c, Point& d) {
  const Point ac = a + c, a_c = a - c, bd = b + d, b_d = b - d;
  a = ac + bd;
  b = plus_turned(a_c, b_d);
  c = ac - bd;
  d = minus_turned(a_c, b_d);
}

// Both transform the four points from k on, a quarter of their length apart, from one line to
// another.
template <class From, class To>
HWY_INLINE void forward_four(const From& from, const To& to, int k, int quarter, const Factors* f) {
  Point a = from.get(k), b = from.get(k + quarter), c = from.get(k + 2 * quarter),
        d = from.get(k + 3 * quarter);
  forward4(a, b, c, d);
  to.put(k, a);
  to.put(k + quarter, f != nullptr ? times(b, f->first) : b);
  to.put(k + 2 * quarter, f != nullptr ? times(c, f->second) : c);
  to.put(k + 3 * quarter, f != nullptr ? times(d, f->third) : d);
}
template <class From, class To>
HWY_INLINE void back_four(const From& from, const To& to, int k, int quarter, const Factors* f) {
  Point a = from.get(k), b = from.get(k + quarter), c = from.get(k + 2 * quarter),
        d = from.get(k + 3 * quarter);
  if (f != nullptr) {
    b = times_conjugate(b, f->first);
    c = times_conjugate(c, f->second);
    d = times_conjugate(d, f->third);
  }
  back4(a, b, c, d);
  to.put(k, a);
  to.put(k + quarter, b);
  to.put(k + 2 * quarter, c);
  to.put(k + 3 * quarter, d);
}

// Both transform all groups of four of one length, with that length's `factors`.
template <class From, class To>
HWY_INLINE void forward_pass(const From& from, const To& to, int points, int length,
                             const double* factors) {
  const int quarter = length / 4;
  for (int k = 0; k < points; k += length) forward_four(from, to, k, quarter, nullptr);
  for (int j = 1; j < quarter; ++j) {
    const Factors f(factors + std::ptrdiff_t{6} * j);
    for (int k = j; k < points; k += length) forward_four(from, to, k, quarter, &f);
  }
}
template <class From, class To>
HWY_INLINE void back_pass(const From& from, const To& to, int points, int length,
                          const double* factors) {
  const int quarter = length / 4;
  for (int k = 0; k < points; k += length) back_four(from, to, k, quarter, nullptr);
  for (int j = 1; j < quarter; ++j) {
    const Factors f(factors + std::ptrdiff_t{6} * j);
    for (int k = j; k < points; k += length) back_four(from, to, k, quarter, &f);
  }
}

// Does all of a transform but its last pass, which is over two or four neighbours. Takes points
// from `from` and leaves them in `line`.
template <class From>
HWY_INLINE void forward_but_last(const FftTwiddles& twiddles, const From& from,
                                 const FftLine& line) {
  const int points = twiddles.points;
  const double* factors = twiddles.factors.data();
  forward_pass(from, line, points, points, factors);
  for (int length = points / 4; length > 4; length /= 4) {
    factors += std::ptrdiff_t{6} * length;  // 6 for each quarter of the length before
    forward_pass(line, line, points, length, factors);
  }
}
// Does all of a transform back but its first pass.
template <class To>
HWY_INLINE void back_but_first(const FftTwiddles& twiddles, const FftLine& line, const To& to) {
  const int points = twiddles.points;
  int shortest = points;
  while (shortest > 16) shortest /= 4;  // 8 or 16
  const double* factors = twiddles.factors.data() + twiddles.factors.size();
  for (int length = shortest; length < points; length *= 4) {
    factors -= std::ptrdiff_t{6} * (length / 4);
    back_pass(line, line, points, length, factors);
  }
  back_pass(line, to, points, points, twiddles.factors.data());
}

inline constexpr bool fft_ends_in_fours(int points) {
  return (points & 0x55555555) != 0;  // whether it is a power of four
}

// Does the last pass.
template <class To>
HWY_INLINE void forward_last(const FftTwiddles& twiddles, const FftLine& line, const To& to) {
  const int points = twiddles.points;
  if (fft_ends_in_fours(points)) {
    for (int k = 0; k < points; k += 4) forward_four(line, to, k, 1, nullptr);
  } else {
    for (int k = 0; k < points; k += 2) {
      const Point a = line.get(k), b = line.get(k + 1);
      to.put(k, a + b);
      to.put(k + 1, a - b);
    }
  }
}
// Does the first pass back.
template <class From>
HWY_INLINE void back_first(const FftTwiddles& twiddles, const From& from, const FftLine& line) {
  const int points = twiddles.points;
  if (fft_ends_in_fours(points)) {
    for (int k = 0; k < points; k += 4) back_four(from, line, k, 1, nullptr);
  } else {
    for (int k = 0; k < points; k += 2) {
      const Point a = from.get(k), b = from.get(k + 1);
      line.put(k, a + b);
      line.put(k + 1, a - b);
    }
  }
}

// Does the last pass, multiplies each frequency by that of a spectrum, and does the first pass
// back.
template <class Spectrum>
HWY_INLINE void multiply_between(const FftTwiddles& twiddles, const FftLine& line,
                                 const Spectrum& spectrum) {
  const int points = twiddles.points;
  if (fft_ends_in_fours(points)) {
    for (int k = 0; k < points; k += 4) {
      Point a = line.get(k), b = line.get(k + 1), c = line.get(k + 2), d = line.get(k + 3);
      forward4(a, b, c, d);
      a = times(a, spectrum.get(k));
      b = times(b, spectrum.get(k + 1));
      c = times(c, spectrum.get(k + 2));
      d = times(d, spectrum.get(k + 3));
      back4(a, b, c, d);
      line.put(k, a);
      line.put(k + 1, b);
      line.put(k + 2, c);
      line.put(k + 3, d);
    }
  } else {
    for (int k = 0; k < points; k += 2) {
      const Point a = line.get(k), b = line.get(k + 1);
      const Point sum = times(a + b, spectrum.get(k)), rest = times(a - b, spectrum.get(k + 1));
      line.put(k, sum + rest);
      line.put(k + 1, sum - rest);
    }
  }
}

// Turns the rows of a block of points into columns.
template <int lanes>
HWY_INLINE void transpose(FftVec (&v)[lanes]) {
  const FftTag d;
  FftVec pairs[lanes];
  unrolled<0, lanes / 2>([&](int p) VIDCONV_LAMBDA {
    pairs[2 * p] = hn::InterleaveLower(d, v[2 * p], v[2 * p + 1]);
    pairs[2 * p + 1] = hn::InterleaveUpper(d, v[2 * p], v[2 * p + 1]);
  });
  if constexpr (lanes == 2) {
    unrolled<0, 2>([&](int p) VIDCONV_LAMBDA { v[p] = pairs[p]; });
  } else if constexpr (lanes == 4) {
    unrolled<0, 2>([&](int p) VIDCONV_LAMBDA {
      v[p] = hn::ConcatLowerLower(d, pairs[p + 2], pairs[p]);
      v[p + 2] = hn::ConcatUpperUpper(d, pairs[p + 2], pairs[p]);
    });
  } else {
    static_assert(lanes == 8);
    // Blocks of two columns: the lower half has those of the first four, and odd blocks and even
    // ones change places.
    unrolled<0, 2>([&](int p) VIDCONV_LAMBDA {
      const auto mix = [&](int at, FftVec first, FftVec second) VIDCONV_LAMBDA {
        v[at] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(second), first);
        v[at + 2] = hn::OddEvenBlocks(second, hn::SwapAdjacentBlocks(first));
      };
      mix(p, hn::ConcatLowerLower(d, pairs[p + 4], pairs[p]),
          hn::ConcatLowerLower(d, pairs[p + 6], pairs[p + 2]));
      mix(p + 4, hn::ConcatUpperUpper(d, pairs[p + 4], pairs[p]),
          hn::ConcatUpperUpper(d, pairs[p + 6], pairs[p + 2]));
    });
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#endif  // per target
