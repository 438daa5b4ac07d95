// Two tiles of pictures that are transformed together, as real and imaginary parts, and the steps
// that make sums of their samples: down the columns, along the rows and back, up the columns again.
// Small tiles stay in a core's second-level cache meanwhile.
//
// Frequencies stay in the order in which transforms that exchange nothing leave them: the inverse
// begins with that order, and nothing else depends on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/base/aligned_array.h"
#include "kernels/plan/plan.h"

namespace vidconv {

// The factors of transforms of `points` points: for each length = points, points / 4, ... down to 8
// and each j below length / 4 the powers j, 2j and 3j of exp(-2 pi i / length), real and imaginary.
struct FftTwiddles {
  explicit FftTwiddles(int points);

  int points;  // a power of two, 64 at least
  std::vector<double> factors;
};

// The shape of a tile, and how the steps transform it.
struct FftShape {
  FftTwiddles along, down;  // along its rows and down its columns
  // The points of a tile, from (0, 0) on, that are sums of samples of that tile only.
  int results_width, results_height;
  bool floats;  // whether samples are floats; else they are codes of 16 bits
};

class FftTile {
 public:
  // Makes room; the contents are lost.
  void reserve(const FftShape& shape);

  double* real(int y) const { return points_.get() + y * stride_; }
  double* imaginary(int y) const { return real(y) + width_; }
  // Returns row y of the samples of the first picture (0) or the second one (1); fft_group more may
  // be read. T is float or std::uint16_t, as the shape says.
  template <class T>
  T* samples(int picture, int y) const {
    return reinterpret_cast<T*>(samples_.get() +
                                (std::ptrdiff_t{picture} * height_ + y) * samples_stride_);
  }

 private:
  int width_ = 0, height_ = 0;
  // Odd numbers of cache lines, so that the rows of a column do not evict one another.
  std::ptrdiff_t stride_ = 0, samples_stride_ = 0;  // in doubles and bytes
  AlignedArray<double> points_;
  AlignedArray<std::byte> samples_;
};

// Columns or rows that a step takes together.
inline constexpr int fft_group = 8;

// Returns how many doubles a thread needs for the lines that it transforms, aligned to 64 bytes.
std::ptrdiff_t fft_lines(const FftShape& shape);

// Transforms points in place into a spectrum, as fft_along() takes it: for each group of rows, and
// each frequency, the real parts of all rows and then the imaginary ones.
void fft_spectrum(const FftShape& shape, const FftTile& tile, double* spectrum, double* lines);

// The steps. Each takes the columns or rows from `first` up to `last`, multiples of fft_group, so
// that threads can share it; `lines` is the thread's own.
//
// fft_down() takes samples and transforms columns.
void fft_down(const FftShape& shape, const FftTile& tile, double* lines, int first, int last);
// Transforms rows, multiplies by the spectrum, and transforms them back.
void fft_along(const FftShape& shape, const FftTile& tile, const double* spectrum, double* lines,
               int first, int last);
// Transforms columns back into sums, in the rows and columns of results.
void fft_up(const FftShape& shape, const FftTile& tile, double* lines, int first, int last);

// Returns the norm of all float samples of a tile, of both pictures.
double fft_norm(const FftShape& shape, const FftTile& tile);

// Makes samples of row y of a picture's sums, each of which is off by `error` at most. They are the
// definition's: where the error leaves one open, multiply-adds in its order decide. Both have room
// for `width` rounded up to fft_group.
void fft_floats(const Plan& plan, const FftTile& tile, int picture, int y, const double* sums,
                double error, float* samples, int width);

// Makes samples of the plan, of type T, of a row of sums, which are whole numbers but for errors
// below 1/2. Both have room for `width` rounded up to twice fft_group.
template <class T>
void fft_samples(const Plan& plan, const double* sums, T* samples, int width);

// Returns the fewest taps of a matrix for which transforms take no longer than multiply-adds of 16
// bits (cpu-conv-int16).
std::ptrdiff_t fft_fewest_taps();

}  // namespace vidconv
