// cuda-dense-fft: a matrix of floats whose sums are in double, by Fourier transforms of 64x64
// points.
//
// Two tiles side by side, as real and imaginary parts, overlap their neighbours by the kernel
// (overlap-save). A block keeps them in shared memory, and its threads transform eight points at a
// time in registers: columns, rows, times the taps' spectrum, rows back, columns back. A matrix of
// more than 48x48 taps is cut into pieces, whose sums are added up. Sums are off by an error that
// is known (kernels/plan/transform_error.h); what rounds to the same float at both ends of it is
// the definition's result, and what does not is added up in the definition's order.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "kernels/cuda/batch.cuh"
#include "kernels/cuda/check.h"
#include "kernels/cuda/device_array.h"
#include "kernels/cuda/fft64.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tile.cuh"
#include "kernels/cuda/variants.h"
#include "kernels/plan/transform_error.h"

namespace vidconv::cuda {
namespace {

constexpr int points = 64, levels = 12;  // on a side, of both
constexpr int lanes = 32, warps = 8;     // a warp has one of the eight transforms of each line
constexpr int pitch = points + 1;        // odd: neither columns nor rows share banks
constexpr unsigned all_lanes = 0xFFFFFFFFu;
constexpr int largest = 48;          // taps on a side of a piece: beside them are 17x17 results
constexpr int largest_of_some = 33;  // the same of one of several: 32x32
constexpr int most_results_of_some = 40;  // of a column, in a thread's registers
constexpr int shared_bytes = points * pitch * static_cast<int>(sizeof(Complex));

struct Work {
  Batch batch;
  Sampling sampling;
  Finish finish;
  Complex factors[points];
  const Complex*
      spectra;  // of a piece after the other, frequency y of frequency x at x * points + y
  const double* taps;
  int width, height, anchor_x, anchor_y;  // of the taps
  int pieces, pieces_across;
  int piece_width, piece_height;
  int results_width, results_height;  // of one tile
  double error;                       // of a piece's sums of samples of norm 1
};

// The eight points of line `line` from `first` on, `apart` from each other.
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

// Calls body(line) for as many lines as the lanes of a warp share, and waits for the other warps.
template <class Body>
__device__ inline void for_lines(int lines, Body body) {
#pragma unroll 1
  for (int line = static_cast<int>(threadIdx.x); line < lines; line += lanes) body(line);
  __syncthreads();
}

// Samples of two tiles from (x0, y0) and (x0 + apart, y0) on: zeros where no result asks for them.
struct Samples {
  const Plane<const float>& src;
  const Sampling& sampling;
  int x0, y0, apart;
  int left_columns, right_columns, rows;

  // Whether all points lie in the plane: then those that no result asks for may be anything.
  __device__ bool inside() const {
    return x0 >= 0 && y0 >= 0 && x0 + apart + points <= src.width && y0 + points <= src.height;
  }
  // The points of column x from row `first` on, 8 rows apart from each other.
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
  // The same to where the points are kept, and in little code.
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

// The definition's sum for the result at (x, y). All lanes of a warp ask for it together: each adds
// up the products of a row of taps.
__device__ __noinline__ double add_up_in_order(const Work& work, Plane<const float> src, int x,
                                               int y) {
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

// What results come to, of sums that are off by `error` at most.
struct Results {
  const Work& work;
  const Plane<const float>& src;
  Finish finish;
  double error;

  // The result at (x, y); all lanes of a warp ask together, those that want none with `wanted`
  // false.
  __device__ float of(double sum, int x, int y, bool wanted) const {
    float result = finish_real<float>(finish, sum - error);
    const float other = finish_real<float>(finish, sum + error);
    // No result that is not a number equals another.
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

// From samples of two tiles to where their columns are transformed back but for the last step,
// which begins with part `part` of each. Returns the samples' norm. All threads of a block take
// part; they have to be done with the tile.
__device__ inline double transform_and_back(const Work& work, const Samples& samples,
                                            const Complex* spectrum, Complex* tile_points) {
  __shared__ double squares_of_warp[warps];
  const int part = static_cast<int>(threadIdx.y);  // of the eight of each line
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
  for_lines(points, [&](int x) {
    const Eight eight = Eight::of_column(tile_points, x, 8 * part, 1);
    Complex p[8];
    eight.load(p);
    transform8<false>(p);
    eight.store(p);
  });
  for_lines(points, [&](int y) {
    const Eight eight = Eight::of_row(tile_points, y, part, 8);
    Complex p[8];
    eight.load(p);
    transform8<false>(p);
    turn8<false>(p, factors);
    eight.store(p);
  });
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
    // What goes back is turned by w^-(j k1), k1 = part, j = 0 to 7: as factors[j].
    turn8<true>(p, factors);
    eight.store(p);
  });
  for_lines(points, [&](int y) {
    const Eight eight = Eight::of_row(tile_points, y, part, 8);
    Complex p[8];
    eight.load(p);
    transform8<true>(p);
    eight.store(p);
  });
  for_lines(work.results_width, [&](int x) {
    const Eight eight = Eight::of_column(tile_points, x, 8 * part, 1);
    Complex p[8];
    eight.load(p);
    transform8<true>(p);
    turn8<true>(p, factors);
    eight.store(p);
  });

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
  // The last step back.
  const auto finish_column = [&](Complex(&p)[8], int x) {
    Eight::of_column(tile_points, x, part, 8).load(p);
    transform8<true>(p);
  };

  const auto store_column = [&](const Complex(&sums)[8], int x, double norm) {
    Results results{work, src, work.finish, norm == 0 ? 0 : norm * work.error + least_error_of_sum};
    results.finish.absolute = false;  // an absolute value would make one of what differs in sign
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
    // Tiles of as many columns of results as a warp has lanes.
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

// Where the taps are cut, and how many results a tile has.
void lay_out(const Taps& taps, Work& work) {
  const auto cut = [](int taps_on_side, int most) { return (taps_on_side + most - 1) / most; };
  const bool several = taps.width > largest || taps.height > largest;
  const int most = several ? largest_of_some : largest;
  work.pieces_across = cut(taps.width, most);
  work.pieces = work.pieces_across * cut(taps.height, most);
  work.piece_width = cut(taps.width, work.pieces_across);
  work.piece_height = cut(taps.height, work.pieces / work.pieces_across);
  work.results_width = points - work.piece_width + 1;
  work.results_height = points - work.piece_height + 1;
  // The last steps take columns by the lanes of a warp: a few more than these have cost as much as
  // twice as many, and are left to the next tile.
  if (several || (work.results_width > lanes && work.results_width < lanes + lanes / 4))
    work.results_width = lanes;
  if (several) work.results_height = std::min(work.results_height, most_results_of_some);
}

std::vector<Taps> pieces_of(const Taps& taps, const Work& work) {
  std::vector<Taps> pieces;
  for (int y = 0; y < taps.height; y += work.piece_height) {
    for (int x = 0; x < taps.width; x += work.piece_width) {
      Taps& piece = pieces.emplace_back();
      piece.width = std::min(work.piece_width, taps.width - x);
      piece.height = std::min(work.piece_height, taps.height - y);
      for (int j = y; j < y + piece.height; ++j) {
        const auto row = taps.dense.begin() + std::ptrdiff_t{j} * taps.width + x;
        piece.dense.insert(piece.dense.end(), row, row + piece.width);
      }
    }
  }
  return pieces;
}

// Of the taps turned around, so that a cyclic convolution with them is the correlation, and divided
// by what transforms there and back multiply.
void make_spectrum(const Taps& taps, Complex* tile) {
  constexpr double scale = 1.0 / (points * points);
  const double* tap = taps.dense.data();
  for (int j = 0; j < taps.height; ++j)
    for (int i = 0; i < taps.width; ++i)
      tile[(points - i) % points * points + (points - j) % points].real = *tap++ * scale;
  const std::array<Complex, points> factors = fft64_factors();
  for (int x = 0; x < points; ++x) fft64_forward(tile + x * points, 1, factors);
  for (int y = 0; y < points; ++y) fft64_forward(tile + y, points, factors);
}

DeviceArray<Complex> spectra_of(const std::vector<Taps>& pieces) {
  constexpr std::size_t size = std::size_t{points} * points;
  std::vector<Complex> spectra(pieces.size() * size);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    make_spectrum(pieces[i], spectra.data() + i * size);
  return DeviceArray<Complex>(std::span<const Complex>(spectra));
}

template <bool several>
class DenseFft final : public Convolver {
  static constexpr auto kernel = dense_fft_kernel<several>;

 public:
  DenseFft(const Plan& plan, const Work& layout)
      : work_(layout), taps_(std::span(plan.terms[0].dense)) {
    const Taps& taps = plan.terms[0];
    const std::vector<Taps> pieces = pieces_of(taps, work_);
    spectra_.emplace(spectra_of(pieces));
    work_.sampling = sampling_of(plan);
    work_.finish = plan.finish;
    std::ranges::copy(fft64_factors(), work_.factors);
    work_.spectra = spectra_->data();
    work_.taps = taps_.data();
    work_.width = taps.width, work_.height = taps.height;
    work_.anchor_x = taps.anchor_x, work_.anchor_y = taps.anchor_y;
    for (const Taps& piece : pieces)
      work_.error = std::max(
          work_.error, error_of_matrix(piece, levels, taps.width + taps.height + work_.pieces));
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
          "shared memory for cuda-dense-fft");
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    for_each_batch(
        pairs, 2 * work_.results_width, work_.results_height, [&](const Batch& batch, int blocks) {
          work_.batch = batch;
          launch("cuda-dense-fft", kernel, blocks, dim3(lanes, warps), shared_bytes, stream, work_);
        });
  }

 private:
  Work work_;
  DeviceArray<double> taps_;
  std::optional<DeviceArray<Complex>> spectra_;
};

}  // namespace

bool supports_dense_fft(const Plan& plan, const CudaAbilities& abilities) {
  return plan.sample.storage == Storage::f32 && plan.arith == Arith::float64 &&
         plan.terms.size() == 1 && plan.components == 1 && supports_dense(plan) &&
         plan.finish.combine == Combine::linear && abilities.sm80();
}

std::unique_ptr<Convolver> make_dense_fft(const Plan& plan, int) {
  Work layout{};
  lay_out(plan.terms[0], layout);
  if (layout.pieces > 1) return std::make_unique<DenseFft<true>>(plan, layout);
  return std::make_unique<DenseFft<false>>(plan, layout);
}

}  // namespace vidconv::cuda
