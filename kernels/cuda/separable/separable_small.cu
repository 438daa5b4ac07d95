// cuda-separable-small: two integer passes of at most 31 taps in one kernel, unrolled, with taps as
// immediate operands from the launch's parameters.
#include <algorithm>
#include <cmath>

#include "kernels/cuda/common/arith.cuh"
#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/output.cuh"
#include "kernels/cuda/common/shared_memory.h"
#include "kernels/cuda/common/tuning.h"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace separable_small_kernels {
namespace {

constexpr int lanes = 32, warps = sm90::separable_small.warps;  // lanes and warps of a block
constexpr int columns = 4;  // adjacent columns that a lane sums in the column pass
constexpr int tile_width = lanes * columns;
constexpr int largest = 31;

// The kinds of integer plan: the arithmetics of the passes, and how a row sum waits between them.

// Every sum is below 2^24: float all the way.
struct FloatPasses {
  using Row = ExactFloat;
  using Between = float;
  using Column = ExactFloat;
};
// Row sums are rounded to 16 bits and wait reduced by their least value.
template <class RowArith>
struct RoundedPasses {
  using Row = RowArith;
  using Between = std::uint16_t;
  using Column = Integer;
};
template <class Passes>
inline constexpr bool rounded = std::is_same_v<typename Passes::Between, std::uint16_t>;

// The rows that a thread sums in the column pass. The tile's row sums, with the apron above and
// below, must fit in 64 KiB together with the samples.
template <class Passes, int size>
constexpr int strip =
    (rounded<Passes> || size <= 9 ? sm90::separable_small : sm90::separable_small_long).strip;
template <class Passes, int size>
constexpr int tile_height = warps* strip<Passes, size>;

// Passes are centred in `size` taps; the rest is zeros, which add nothing to sums of integers.
template <class Passes, int size>
struct Work {
  Batch batch;
  Sampling sampling;
  Finish finish;
  typename Passes::Row::Value row[size];
  typename Passes::Column::Value column[size];
  int row_shift, row_min;
  typename Passes::Column::Value start;  // start of a column sum: makes up for row_min
};

template <class T, class Passes, int size>
struct Layout {
  static constexpr int rows = tile_height<Passes, size> + size - 1;
  static constexpr int margin = round_up(size / 2, vector_samples<T>);
  static constexpr int pitch = tile_width + 2 * margin;
  static constexpr int sample_bytes = rows * pitch * static_cast<int>(sizeof(T));
  static constexpr int bytes =
      sample_bytes + rows * tile_width * static_cast<int>(sizeof(typename Passes::Between));
  static_assert(bytes <= 64 * 1024);
};

// Does the row pass: a thread sums groups of adjacent outputs.
template <class T, class Passes, int size>
__device__ void sum_rows(typename Passes::Between* sums, const T* samples,
                         const Work<Passes, size>& work) {
  using L = Layout<T, Passes, size>;
  using Value = typename Passes::Row::Value;
  constexpr int n = group<T>, half = size / 2;
  constexpr int side = round_up(half, n);  // samples read on either side of a group
  constexpr int groups = tile_width / n;
  for (int item = thread_index(); item < L::rows * groups; item += lanes * warps) {
    const int r = item / groups, x0 = item % groups * n;
    const T* const from = samples + r * L::pitch + L::margin - side + x0;
    Value window[2 * side + n];
#pragma unroll
    for (int g = 0; g < 2 * side + n; g += n) load_group<Value>(window + g, from + g);
    alignas(16) typename Passes::Between between[n];
#pragma unroll
    for (int x = 0; x < n; ++x) {
      Value sum = 0;
#pragma unroll
      for (int i = 0; i < size; ++i)
        sum = multiply_add(work.row[i], window[side - half + x + i], sum);
      if constexpr (rounded<Passes>) {
        const int response = to_response<typename Passes::Row>(sum);
        const int code = (response + (1 << work.row_shift >> 1)) >> work.row_shift;
        between[x] = static_cast<std::uint16_t>(code - work.row_min);
      } else {
        between[x] = sum;
      }
    }
    auto* const to = reinterpret_cast<uint4*>(sums + r * tile_width + x0);
    const auto* const packed = reinterpret_cast<const uint4*>(between);
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof(between) / 16); ++i) to[i] = packed[i];
  }
}

// Loads sums that wait for the column pass, from four adjacent columns.
__device__ inline void load_sums(float (&to)[columns], const float* from) {
  const float4 v = *reinterpret_cast<const float4*>(from);
  to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}
__device__ inline void load_sums(std::int32_t (&to)[columns], const std::uint16_t* from) {
  const uint2 v = *reinterpret_cast<const uint2*>(from);
  to[0] = static_cast<int>(v.x & 0xFFFFu), to[1] = static_cast<int>(v.x >> 16);
  to[2] = static_cast<int>(v.y & 0xFFFFu), to[3] = static_cast<int>(v.y >> 16);
}

template <class T, class Passes, int size>
__global__ void __launch_bounds__(lanes* warps)
    separable_small_kernel(const __grid_constant__ Work<Passes, size> work) {
  using L = Layout<T, Passes, size>;
  using Column = typename Passes::Column;
  using Value = typename Column::Value;
  constexpr int height = strip<Passes, size>;
  extern __shared__ uint4 shared[];
  T* const samples = reinterpret_cast<T*>(shared);
  auto* const sums = reinterpret_cast<typename Passes::Between*>(shared + L::sample_bytes / 16);

  const Tile tile = this_tile(work.batch, tile_width, tile_height<Passes, size>);
  const Piece piece{tile.x - L::margin, tile.y - size / 2, L::pitch, L::rows, size / 2, size / 2};
  load_tile(samples, piece, tile.pair.src.as<const T>(), work.sampling);
  __syncthreads();
  sum_rows(sums, samples, work);
  __syncthreads();

  const int lane = static_cast<int>(threadIdx.x);
  const int first_row = static_cast<int>(threadIdx.y) * height;
  const auto* const from = sums + first_row * tile_width + lane * columns;
  Value total[height][columns];
#pragma unroll
  for (int y = 0; y < height; ++y)
#pragma unroll
    for (int x = 0; x < columns; ++x) total[y][x] = work.start;
#pragma unroll
  for (int r = 0; r < height + size - 1; ++r) {
    Value between[columns];
    load_sums(between, from + r * tile_width);
#pragma unroll
    for (int y = 0; y < height; ++y)
      if (r - y >= 0 && r - y < size)
#pragma unroll
        for (int x = 0; x < columns; ++x)
          total[y][x] = multiply_add(work.column[r - y], between[x], total[y][x]);
  }

  store_outputs<columns, height>(tile.pair.dst.as<T>(), tile.x + lane * columns, tile.y + first_row,
                                 work.sampling, work.finish,
                                 [&](int x, int y) { return to_response<Column>(total[y][x]); });
}

template <class T, class Passes, int size>
class SeparableSmall final : public Convolver {
  using Value = typename Passes::Column::Value;
  static constexpr auto kernel = separable_small_kernel<T, Passes, size>;
  static constexpr int shared_bytes = Layout<T, Passes, size>::bytes;

 public:
  explicit SeparableSmall(const Plan& plan) {
    const Taps& taps = plan.terms[0];
    work_.sampling = sampling_of(plan);
    work_.finish = plan.finish;
    for (int i = 0; i < taps.width; ++i)
      work_.row[size / 2 - taps.anchor_x + i] =
          static_cast<typename Passes::Row::Value>(taps.row[static_cast<std::size_t>(i)]);
    double column_sum = 0;
    for (int j = 0; j < taps.height; ++j) {
      const double tap = taps.column[static_cast<std::size_t>(j)];
      work_.column[size / 2 - taps.anchor_y + j] = static_cast<Value>(tap);
      column_sum += tap;
    }
    if constexpr (rounded<Passes>) {
      work_.row_shift = taps.row_shift;
      work_.row_min = static_cast<int>(taps.row_min);
      // Computed modulo 2^32, as are the sums on the way; the result fits.
      work_.start = static_cast<std::int32_t>(
          static_cast<std::uint32_t>(static_cast<std::int64_t>(column_sum) * taps.row_min));
    }
    allow_shared_memory("cuda-separable-small", kernel, shared_bytes);
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    for_each_batch(pairs, tile_width, tile_height<Passes, size>,
                   [&](const Batch& batch, int blocks) {
                     work_.batch = batch;
                     kernel<<<blocks, dim3(lanes, warps), shared_bytes, stream>>>(work_);
                     check_launch("cuda-separable-small");
                   });
  }

 private:
  Work<Passes, size> work_{};
};

template <class T, class Passes>
std::unique_ptr<Convolver> make_sized(const Plan& plan) {
  const int size = square_for(plan);
  if (size <= 3) return std::make_unique<SeparableSmall<T, Passes, 3>>(plan);
  if (size <= 5) return std::make_unique<SeparableSmall<T, Passes, 5>>(plan);
  if (size <= 9) return std::make_unique<SeparableSmall<T, Passes, 9>>(plan);
  if (size <= 17) return std::make_unique<SeparableSmall<T, Passes, 17>>(plan);
  return std::make_unique<SeparableSmall<T, Passes, largest>>(plan);
}

// Whether the row pass gives sums below 2^24, which floats hold exactly.
bool has_small_row_sums(const Plan& plan) {
  double sum = 0;
  for (double tap : plan.terms[0].row) sum += std::abs(tap);
  return sum * plan.sample.max() < 0x1p24;
}

template <class T>
std::unique_ptr<Convolver> make_for(const Plan& plan) {
  if (plan.fits24) return make_sized<T, FloatPasses>(plan);
  if (has_small_row_sums(plan)) return make_sized<T, RoundedPasses<ExactFloat>>(plan);
  if constexpr (sizeof(T) == 2) return make_sized<T, RoundedPasses<Integer>>(plan);
  return nullptr;  // supports_separable_small() does not take it
}

}  // namespace
}  // namespace separable_small_kernels

bool supports_separable_small(const Plan& plan) {
  if (plan.arith != Arith::int32 || plan.terms.size() != 1 ||
      plan.finish.combine != Combine::linear)
    return false;
  const Taps& taps = plan.terms[0];
  if (!taps.separable()) return false;
  if (square_for(plan) > separable_small_kernels::largest) return false;
  if (plan.fits24) return true;
  // Bytes with such large taps are too rare to have kernels of their own.
  return taps.row_max - taps.row_min <= 0xFFFF &&
         (plan.sample.storage != Storage::u8 || separable_small_kernels::has_small_row_sums(plan));
}

std::unique_ptr<Convolver> make_separable_small(const Plan& plan, int) {
  using namespace separable_small_kernels;
  return plan.sample.storage == Storage::u8 ? make_for<std::uint8_t>(plan)
                                            : make_for<std::uint16_t>(plan);
}

}  // namespace vidconv::cuda
