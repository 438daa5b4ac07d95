// The device code of cuda-dense-fft (dense_fft.cu): Fourier transforms of 64x64 points.
//
// Two tiles side by side, as real and imaginary parts, overlap their neighbours by the kernel
// (overlap-save). A block keeps them in shared memory, and its threads transform eight points at a
// time in registers: columns, rows, times the taps' spectrum, rows back, columns back. A matrix of
// more than 48x48 taps is cut into pieces, whose sums are added up. The error of a sum has a known
// bound (kernels/plan/transform_error.h). A sum that rounds to the same float at both ends of it is
// the definition's result; any other is added up in the definition's order.
#pragma once

#include <cstddef>

#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/tile.cuh"
#include "kernels/cuda/dense/fft64.h"
#include "kernels/plan/transform_error.h"

namespace vidconv::cuda::dense_fft {

inline constexpr int points = 64;            // points on a side
inline constexpr int lanes = 32, warps = 8;  // a warp has one of the eight transforms of each line
inline constexpr int pitch = points + 1;     // odd: neither columns nor rows share banks
inline constexpr unsigned all_lanes = 0xFFFFFFFFu;
inline constexpr int most_results_of_some = 40;  // a column's results, in a thread's registers
inline constexpr int shared_bytes = points * pitch * static_cast<int>(sizeof(Complex));

struct Work {
  Batch batch;
  Sampling sampling;
  Finish finish;
  Complex factors[points];
  const Complex* spectra;  // one for each piece; frequency y of frequency x at x * points + y
  const double* taps;
  int width, height, anchor_x, anchor_y;  // the taps' size and anchor
  int pieces, pieces_across;
  int piece_width, piece_height;
  int results_width, results_height;  // size of one tile's results
  double error;                       // error bound of a piece's sums, for samples of norm 1
};

// Eight points of row or column `line` from point `first` on, `apart` from each other.
struct Eight {
  Complex* at;
  int step;

  __device__ static Eight of_row(Complex* tile, int line, int first, int apart) {
    return {tile + line * pitch + first, apart};
  }
  __device__ static Eight of_column(Complex* tile, int line, int first, int apart) {
    return {tile + first * pitch + line, apart * pitch};
  }
  __device__ void load(Complex (&p)[8]) const {
#pragma unroll
    for (int m = 0; m < 8; ++m) p[m] = at[m * step];
  }
  __device__ void store(const Complex (&p)[8]) const {
#pragma unroll
    for (int m = 0; m < 8; ++m) at[m * step] = p[m];
  }
};

// Does one step of all eight points, in place, then turns them by `factors`, if any.
template <bool back>
__device__ inline void step(const Eight& eight, const Complex* factors = nullptr) {
  Complex p[8];
  eight.load(p);
  transform8<back>(p);
  if (factors != nullptr) turn8<back>(p, factors);
  eight.store(p);
}

// Calls body(line) for as many lines as the lanes of a warp share, and waits for the other warps.
template <class Body>
__device__ inline void for_lines(int lines, Body body) {
#pragma unroll 1
  for (int line = static_cast<int>(threadIdx.x); line < lines; line += lanes) body(line);
  __syncthreads();
}

// Samples of two tiles from (x0, y0) and (x0 + apart, y0) on: zeros where no result needs them.
struct Samples {
  const Plane<const float>& src;
  const Sampling& sampling;
  int x0, y0, apart;
  int left_columns, right_columns, rows;

  // Returns whether all points lie in the plane: then those that no result needs may be anything.
  __device__ bool inside() const {
    return x0 >= 0 && y0 >= 0 && x0 + apart + points <= src.width && y0 + points <= src.height;
  }
  // Loads the points of column x from row `first` on, 8 rows apart from each other.
  __device__ void load_inside(Complex (&p)[8], int x, int first) const {
    const std::ptrdiff_t right = static_cast<std::ptrdiff_t>(apart) * src.step;
    const float* from = src.row(y0 + first) + static_cast<std::ptrdiff_t>(x0 + x) * src.step;
    float samples[2][8];
#pragma unroll
    for (int m = 0; m < 8; ++m) {
      samples[0][m] = __ldg(from), samples[1][m] = __ldg(from + right);
      from =
          reinterpret_cast<const float*>(reinterpret_cast<const std::byte*>(from) + 8 * src.stride);
    }
#pragma unroll
    for (int m = 0; m < 8; ++m) p[m] = {samples[0][m], samples[1][m]};
  }
  // Loads such points, in the plane or not, to where they are kept, with little code.
  __device__ void load_any(const Eight& to, int x, int first) const {
#pragma unroll 1
    for (int m = 0; m < 8; ++m) {
      const int y = first + 8 * m;
      to.at[m * to.step] = {
          x < left_columns && y < rows ? read_code(src, x0 + x, y0 + y, sampling) : 0,
          x < right_columns && y < rows ? read_code(src, x0 + apart + x, y0 + y, sampling) : 0};
    }
  }
};

// Returns the definition's sum for the result at (x, y). All lanes of a warp call this together:
// each adds up the products of a row of taps.
static __device__ __noinline__ double add_up_in_order(const Work& work, Plane<const float> src,
                                                      int x, int y) {
  double sum = 0;
#pragma unroll 1
  for (int first = 0; first < work.height; first += lanes) {
    const int j = first + static_cast<int>(threadIdx.x);
    double of_row = 0;
#pragma unroll 1
    for (int i = 0; i < work.width && j < work.height; ++i)
      of_row = __fma_rn(__ldg(work.taps + j * work.width + i),
                        static_cast<double>(read_code(src, x - work.anchor_x + i,
                                                      y - work.anchor_y + j, work.sampling)),
                        of_row);
    for (int k = 0; k < min(lanes, work.height - first); ++k)
      sum = sum + __shfl_sync(all_lanes, of_row, k);
  }
  return sum;
}

// Makes results from sums that are off by at most `error`.
struct Results {
  const Work& work;
  const Plane<const float>& src;
  Finish finish;
  double error;

  // Returns the result at (x, y). All lanes of a warp call this together; those that need no result
  // pass `wanted` as false.
  __device__ float of(double sum, int x, int y, bool wanted) const {
    float result = finish_real<float>(finish, sum - error);
    const float other = finish_real<float>(finish, sum + error);
    // A result that is not a number equals no other.
    const bool open =
        wanted && (__float_as_uint(result) != __float_as_uint(other) || result != other);
    for (unsigned rest = __ballot_sync(all_lanes, open); rest != 0; rest &= rest - 1) {
      const int lane = __ffs(static_cast<int>(rest)) - 1;
      const double in_order = add_up_in_order(work, src, __shfl_sync(all_lanes, x, lane), y);
      if (lane == static_cast<int>(threadIdx.x)) result = finish_real<float>(finish, in_order);
    }
    return work.finish.absolute ? fabsf(result) : result;
  }
};

// Transforms the samples of two tiles, multiplies them by the spectrum, and transforms them back
// but for the last step of their columns, which begins with point `part` of each. Returns the
// samples' norm. All threads of a block take part; they have to be done with the tile.
__device__ inline double transform_and_back(const Work& work, const Samples& samples,
                                            const Complex* spectrum, Complex* tile_points) {
  __shared__ double squares_of_warp[warps];
  const int part = static_cast<int>(threadIdx.y);  // index among the eight of each line
  const Complex* const factors = work.factors + 8 * part;
  const bool inside = samples.inside();
  double squares = 0;
  for_lines(points, [&](int x) {
    const Eight eight = Eight::of_column(tile_points, x, part, 8);
    Complex p[8];
    if (inside) {
      samples.load_inside(p, x, part);
    } else {
      samples.load_any(eight, x, part);
      eight.load(p);
    }
#pragma unroll
    for (int m = 0; m < 8; ++m) squares += p[m].real * p[m].real + p[m].imaginary * p[m].imaginary;
    transform8<false>(p);
    turn8<false>(p, factors);
    eight.store(p);
    if (x < lanes) return;  // the other half of the columns follows
#pragma unroll
    for (int step = lanes / 2; step > 0; step /= 2)
      squares += __shfl_xor_sync(all_lanes, squares, step);
    if (threadIdx.x == 0) squares_of_warp[part] = squares;
  });

  squares = 0;
  for (double of_warp : squares_of_warp) squares += of_warp;
  for_lines(points, [&](int x) { step<false>(Eight::of_column(tile_points, x, 8 * part, 1)); });
  for_lines(points, [&](int y) { step<false>(Eight::of_row(tile_points, y, part, 8), factors); });
  for_lines(points, [&](int y) {
    const Eight eight = Eight::of_row(tile_points, y, 8 * part, 1);
    const Complex* const from = spectrum + 8 * part * points + y;
    Complex p[8];
    eight.load(p);
    transform8<false>(p);
#pragma unroll
    for (int m = 0; m < 8; ++m) {
      const double2 of_taps = __ldg(reinterpret_cast<const double2*>(from + m * points));
      p[m] = times(p[m], Complex{of_taps.x, of_taps.y});
    }
    transform8<true>(p);
    // The way back turns by w^-(j k1), k1 = part, j = 0 to 7, which is factors[j].
    turn8<true>(p, factors);
    eight.store(p);
  });
  for_lines(points, [&](int y) { step<true>(Eight::of_row(tile_points, y, part, 8)); });
  for_lines(work.results_width,
            [&](int x) { step<true>(Eight::of_column(tile_points, x, 8 * part, 1), factors); });

  return sqrt(squares);
}

template <bool several>
__global__ void __launch_bounds__(lanes* warps, several ? 2 : 3)
    dense_fft_kernel(const __grid_constant__ Work work) {
  extern __shared__ Complex tile_points[];
  const int part = static_cast<int>(threadIdx.y);
  const Tile tile = this_tile(work.batch, 2 * work.results_width, work.results_height);
  const Plane<const float> src = tile.pair.src.as<const float>();
  const Plane<float> dst = tile.pair.dst.as<float>();
  const int results_width = work.results_width;

  wait_for_earlier_kernels();
  const auto columns_from = [&](int x) {
    const int results = min(results_width, dst.width - x);
    return results > 0 ? results + work.piece_width - 1 : 0;
  };
  Samples samples{src,
                  work.sampling,
                  tile.x - work.anchor_x,
                  tile.y - work.anchor_y,
                  results_width,
                  columns_from(tile.x),
                  columns_from(tile.x + results_width),
                  min(work.results_height, dst.height - tile.y) + work.piece_height - 1};
  // Does the last step back of column x.
  const auto finish_column = [&](Complex(&p)[8], int x) {
    Eight::of_column(tile_points, x, part, 8).load(p);
    transform8<true>(p);
  };

  const auto store_column = [&](const Complex(&sums)[8], int x, double norm) {
    Results results{work, src, work.finish, norm == 0 ? 0 : norm * work.error + least_error_of_sum};
    results.finish.absolute = false;  // an absolute value would hide a difference in sign
    const int left = tile.x + x, right = left + results_width;
    const bool has_left = x < results_width && left < dst.width;
    const bool has_right = x < results_width && right < dst.width;
    float* to = dst.row(tile.y + part) + static_cast<std::ptrdiff_t>(left) * dst.step;
    const std::ptrdiff_t apart = static_cast<std::ptrdiff_t>(results_width) * dst.step;
#pragma unroll
    for (int m = 0; m < 8; ++m) {
      const int y = part + 8 * m;
      if (y >= work.results_height || tile.y + y >= dst.height) break;
      const float of_left = results.of(sums[m].real, left, tile.y + y, has_left);
      const float of_right = results.of(sums[m].imaginary, right, tile.y + y, has_right);
      if (has_left) *to = of_left;
      if (has_right) to[apart] = of_right;
      to = reinterpret_cast<float*>(reinterpret_cast<std::byte*>(to) + 8 * dst.stride);
    }
  };

  if constexpr (several) {
    // Tiles have as many columns of results as a warp has lanes.
    Complex sums[8] = {};
    double norm = 0;
#pragma unroll 1
    for (int piece = 0; piece < work.pieces; ++piece) {
      const int across = piece % work.pieces_across;
      samples.x0 = tile.x - work.anchor_x + across * work.piece_width;
      samples.y0 = tile.y - work.anchor_y + piece / work.pieces_across * work.piece_height;
      norm +=
          transform_and_back(work, samples, work.spectra + piece * points * points, tile_points);
      Complex p[8];
      finish_column(p, static_cast<int>(threadIdx.x));
#pragma unroll
      for (int m = 0; m < most_results_of_some / 8; ++m) sums[m] = sums[m] + p[m];
      __syncthreads();
    }
    store_column(sums, static_cast<int>(threadIdx.x), norm);
  } else {
    const double norm = transform_and_back(work, samples, work.spectra, tile_points);
#pragma unroll 1
    for (int x = static_cast<int>(threadIdx.x); x < round_up(results_width, lanes); x += lanes) {
      Complex p[8];
      finish_column(p, x);
      store_column(p, x, norm);
    }
  }
}

}  // namespace vidconv::cuda::dense_fft
