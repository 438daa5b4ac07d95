// The steps of fft_tile.h.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/fft/fft_steps.cpp"
#endif
#define VIDCONV_ANY_CPU
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>

#include "kernels/cpu/fft/fft_points-inl.h"
#include "kernels/cpu/fft/fft_tile.h"
#include "kernels/cpu/simd/arithmetic-inl.h"
#include "kernels/cpu/simd/finish-inl.h"
#include "kernels/cpu/simd/simd.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {

// The columns of a tile from x on.
class TileColumns {
 public:
  HWY_INLINE TileColumns(const FftTile& tile, int x)
      : points_(tile.real(0) + x),
        stride_(tile.real(1) - tile.real(0)),
        imaginary_(tile.imaginary(0) - tile.real(0)) {}
  HWY_INLINE Point get(int y) const {
    const double* const at = points_ + y * stride_;
    return {hn::Load(FftTag(), at), hn::Load(FftTag(), at + imaginary_)};
  }
  HWY_INLINE void put(int y, Point p) const {
    double* const at = points_ + y * stride_;
    hn::Store(p.real, FftTag(), at);
    hn::Store(p.imaginary, FftTag(), at + imaginary_);
  }

 private:
  double* points_;
  std::ptrdiff_t stride_, imaginary_;
};

// The rows of results of such columns, to be written.
class ResultColumns : TileColumns {
 public:
  HWY_INLINE ResultColumns(const FftTile& tile, int x, int rows)
      : TileColumns(tile, x), rows_(rows) {}
  HWY_INLINE void put(int y, Point p) const {
    if (y < rows_) TileColumns::put(y, p);
  }

 private:
  int rows_;
};

HWY_INLINE FftVec load_samples(const std::uint16_t* codes) {
  const hn::Rebind<std::int32_t, FftTag> d32;
  const hn::Rebind<std::uint16_t, FftTag> d16;
  return hn::PromoteTo(FftTag(), hn::PromoteTo(d32, hn::LoadU(d16, codes)));
}
HWY_INLINE FftVec load_samples(const float* samples) {
  return hn::PromoteTo(FftTag(), hn::LoadU(hn::Rebind<float, FftTag>(), samples));
}

// The columns of samples from x on.
template <class T>
class SampleColumns {
 public:
  HWY_INLINE SampleColumns(const FftTile& tile, int x)
      : samples_{tile.samples<T>(0, 0) + x, tile.samples<T>(1, 0) + x},
        stride_(tile.samples<T>(0, 1) - tile.samples<T>(0, 0)) {}
  HWY_INLINE Point get(int y) const {
    return {load_samples(samples_[0] + y * stride_), load_samples(samples_[1] + y * stride_)};
  }

 private:
  const T* samples_[2];
  std::ptrdiff_t stride_;
};

// Returns the frequencies of rows from y on in a spectrum of `width` columns, which has them in
// groups.
template <class Double>
HWY_INLINE PointsInRow<fft_group, Double> rows_of(Double* spectrum, int y, int width) {
  const int in_group = y % fft_group;
  return PointsInRow<fft_group, Double>(spectrum + std::ptrdiff_t{2} * width * (y - in_group) +
                                        in_group);
}

// As many rows of a tile as a vector has lanes, from y on.
class TileRows {
 public:
  HWY_INLINE TileRows(const FftTile& tile, int y) {
    for (int r = 0; r < fft_lanes; ++r) {
      real_[r] = tile.real(y + r);
      imaginary_[r] = tile.imaginary(y + r);
    }
  }
  HWY_INLINE void to(const FftLine& line, int points) const {
    for (int x = 0; x < points; x += fft_lanes) {
      FftVec real[fft_lanes], imaginary[fft_lanes];
      unrolled<0, fft_lanes>([&](int r) VIDCONV_LAMBDA {
        real[r] = hn::Load(FftTag(), real_[r] + x);
        imaginary[r] = hn::Load(FftTag(), imaginary_[r] + x);
      });
      transpose(real);
      transpose(imaginary);
      unrolled<0, fft_lanes>([&](int c) VIDCONV_LAMBDA {  //
        line.put(x + c, {real[c], imaginary[c]});
      });
    }
  }
  HWY_INLINE void from(const FftLine& line, int points) const {
    for (int x = 0; x < points; x += fft_lanes) {
      FftVec real[fft_lanes], imaginary[fft_lanes];
      unrolled<0, fft_lanes>([&](int c) VIDCONV_LAMBDA {
        const Point p = line.get(x + c);
        real[c] = p.real;
        imaginary[c] = p.imaginary;
      });
      transpose(real);
      transpose(imaginary);
      unrolled<0, fft_lanes>([&](int r) VIDCONV_LAMBDA {
        hn::Store(real[r], FftTag(), real_[r] + x);
        hn::Store(imaginary[r], FftTag(), imaginary_[r] + x);
      });
    }
  }

 private:
  double *real_[fft_lanes], *imaginary_[fft_lanes];
};

template <class T>
void transform_down(const FftShape& shape, const FftTile& tile, double* lines, int first,
                    int last) {
  const FftLine line(lines);
  for (int x = first; x < last; x += fft_lanes) {
    forward_but_last(shape.down, SampleColumns<T>(tile, x), line);
    forward_last(shape.down, line, TileColumns(tile, x));
  }
}

void run_down(const FftShape& shape, const FftTile& tile, double* lines, int first, int last) {
  note_used_simd(HWY_TARGET);
  if (shape.floats)
    transform_down<float>(shape, tile, lines, first, last);
  else
    transform_down<std::uint16_t>(shape, tile, lines, first, last);
}

void run_along(const FftShape& shape, const FftTile& tile, const double* spectrum, double* lines,
               int first, int last) {
  const FftTwiddles& twiddles = shape.along;
  const FftLine line(lines);
  for (int y = first; y < last; y += fft_lanes) {
    const TileRows rows(tile, y);
    rows.to(line, twiddles.points);
    forward_but_last(twiddles, line, line);
    multiply_between(twiddles, line, rows_of(spectrum, y, twiddles.points));
    back_but_first(twiddles, line, line);
    rows.from(line, twiddles.points);
  }
}

void make_spectrum(const FftShape& shape, const FftTile& tile, double* spectrum, double* lines) {
  note_used_simd(HWY_TARGET);
  const int width = shape.along.points, height = shape.down.points;
  const FftLine line(lines);
  for (int x = 0; x < width; x += fft_lanes) {
    const TileColumns columns(tile, x);
    forward_but_last(shape.down, columns, line);
    forward_last(shape.down, line, columns);
  }
  for (int y = 0; y < height; y += fft_lanes) {
    TileRows(tile, y).to(line, width);
    forward_but_last(shape.along, line, line);
    forward_last(shape.along, line, rows_of(spectrum, y, width));
  }
}

void run_up(const FftShape& shape, const FftTile& tile, double* lines, int first, int last) {
  const FftLine line(lines);
  for (int x = first; x < last; x += fft_lanes) {
    back_first(shape.down, TileColumns(tile, x), line);
    back_but_first(shape.down, line, ResultColumns(tile, x, shape.results_height));
  }
}

template <class T>
void make_samples(const Plan& plan, const double* sums, T* samples, int width) {
  const FftTag d;
  const hn::Rebind<std::int32_t, FftTag> d32;
  const Finish finish = plan.finish;
  const int shift = plan.sample.shift;
  if (plan.arith == Arith::float64) {
    for (int x = 0; x < width; x += fft_lanes) {
      const auto whole = hn::Round(hn::Load(d, sums + x));
      hn::StoreU(samples_of<T>(d, finish_lanes<T>(finish, d, whole), shift),
                 hn::Rebind<T, FftTag>(), samples + x);
    }
    return;
  }
  // The lower half of such a double is a whole number, rounded.
  const auto magic = hn::Set(d, 0x1.8p52);
  const auto whole = [&](const double* from) VIDCONV_LAMBDA {
    const auto bits =
        hn::BitCast(hn::RebindToUnsigned<FftTag>(), hn::Add(hn::Load(d, from), magic));
    return hn::BitCast(d32, hn::TruncateTo(hn::Rebind<std::uint32_t, FftTag>(), bits));
  };
  const hn::Twice<decltype(d32)> two;
  const hn::Rebind<T, decltype(two)> narrow_two;
  for (int x = 0; x < width; x += 2 * fft_lanes) {
    const auto response = hn::Combine(two, whole(sums + x + fft_lanes), whole(sums + x));
    hn::StoreU(samples_of<T>(two, finish_lanes<T>(finish, two, response), shift), narrow_two,
               samples + x);
  }
}

void make_samples8(const Plan& plan, const double* sums, std::uint8_t* samples, int width) {
  make_samples(plan, sums, samples, width);
}
void make_samples16(const Plan& plan, const double* sums, std::uint16_t* samples, int width) {
  make_samples(plan, sums, samples, width);
}

double norm_of_floats(const FftShape& shape, const FftTile& tile) {
  FftVec squares = hn::Zero(FftTag());
  for (int picture = 0; picture < 2; ++picture) {
    for (int y = 0; y < shape.down.points; ++y) {
      const float* const row = tile.samples<float>(picture, y);
      for (int x = 0; x < shape.along.points; x += fft_lanes) {
        const FftVec samples = load_samples(row + x);
        squares = hn::MulAdd(samples, samples, squares);
      }
    }
  }
  return std::sqrt(hn::GetLane(hn::SumOfLanes(FftTag(), squares)));
}

// Returns the definition's sums of the samples from `row` on, whose rows are `stride` apart.
HWY_NOINLINE FftVec add_up_in_order(const Taps& taps, const float* row, std::ptrdiff_t stride) {
  const FftTag d;
  const double* tap = taps.dense.data();
  FftVec sum = hn::Zero(d);
  for (int j = 0; j < taps.height; ++j, row += stride) {
    FftVec of_row = hn::Zero(d);
    for (int i = 0; i < taps.width; ++i)
      of_row = multiply_add(d, hn::Set(d, *tap++), load_samples(row + i), of_row);
    sum = hn::Add(sum, of_row);
  }
  return sum;
}

void make_floats(const Plan& plan, const FftTile& tile, int picture, int y, const double* sums,
                 double error, float* samples, int width) {
  const FftTag d;
  const hn::Rebind<float, FftTag> narrow;
  const hn::RebindToUnsigned<decltype(narrow)> bits;
  const float* const row = tile.samples<float>(picture, y);
  const std::ptrdiff_t stride = tile.samples<float>(picture, 1) - tile.samples<float>(picture, 0);
  Finish finish = plan.finish;
  finish.absolute = false;  // an absolute value would make one of what differs in sign
  const auto finished = [&](FftVec sum) VIDCONV_LAMBDA {
    return samples_of<float>(d, finish_lanes<float>(finish, d, sum), 0);
  };
  const auto most = hn::Set(d, error);
  for (int x = 0; x < width; x += fft_lanes) {
    const FftVec sum = hn::Load(d, sums + x);
    const auto least = finished(hn::Sub(sum, most));
    const auto largest = finished(hn::Add(sum, most));
    auto results = least;
    // A sum that is NaN equals no other.
    const auto same =
        hn::And(hn::VecFromMask(bits, hn::Eq(hn::BitCast(bits, least), hn::BitCast(bits, largest))),
                hn::BitCast(bits, hn::VecFromMask(narrow, hn::Eq(least, largest))));
    if (!hn::AllTrue(bits, hn::Ne(same, hn::Zero(bits))))
      results = finished(add_up_in_order(plan.terms[0], row + x, stride));
    hn::StoreU(plan.finish.absolute ? hn::Abs(results) : results, narrow, samples + x);
  }
}

std::ptrdiff_t fewest_taps() {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return 441;
#else
  return 196;
#endif
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vidconv {
HWY_EXPORT(run_down);
HWY_EXPORT(run_along);
HWY_EXPORT(make_spectrum);
HWY_EXPORT(run_up);
HWY_EXPORT(norm_of_floats);
HWY_EXPORT(make_floats);
HWY_EXPORT(make_samples8);
HWY_EXPORT(make_samples16);
HWY_EXPORT(fewest_taps);

void fft_down(const FftShape& shape, const FftTile& tile, double* lines, int first, int last) {
  HWY_DYNAMIC_DISPATCH(run_down)(shape, tile, lines, first, last);
}
void fft_along(const FftShape& shape, const FftTile& tile, const double* spectrum, double* lines,
               int first, int last) {
  HWY_DYNAMIC_DISPATCH(run_along)(shape, tile, spectrum, lines, first, last);
}
void fft_spectrum(const FftShape& shape, const FftTile& tile, double* spectrum, double* lines) {
  HWY_DYNAMIC_DISPATCH(make_spectrum)(shape, tile, spectrum, lines);
}
void fft_up(const FftShape& shape, const FftTile& tile, double* lines, int first, int last) {
  HWY_DYNAMIC_DISPATCH(run_up)(shape, tile, lines, first, last);
}
double fft_norm(const FftShape& shape, const FftTile& tile) {
  return HWY_DYNAMIC_DISPATCH(norm_of_floats)(shape, tile);
}
void fft_floats(const Plan& plan, const FftTile& tile, int picture, int y, const double* sums,
                double error, float* samples, int width) {
  HWY_DYNAMIC_DISPATCH(make_floats)(plan, tile, picture, y, sums, error, samples, width);
}
template <>
void fft_samples(const Plan& plan, const double* sums, std::uint8_t* samples, int width) {
  HWY_DYNAMIC_DISPATCH(make_samples8)(plan, sums, samples, width);
}
template <>
void fft_samples(const Plan& plan, const double* sums, std::uint16_t* samples, int width) {
  HWY_DYNAMIC_DISPATCH(make_samples16)(plan, sums, samples, width);
}
std::ptrdiff_t fft_fewest_taps() { return HWY_DYNAMIC_DISPATCH(fewest_taps)(); }

}  // namespace vidconv
#endif  // HWY_ONCE
