// cuda-separable-short: two integer passes of up to 3 taps around the output sample over 8-bit
// samples, on any CUDA device.
//
// A thread owns eight adjacent columns and walks down: of each row it makes eight sums of the row
// pass (dot products of 16-bit taps and bytes) and adds them, times a tap each, to the outputs of
// the rows that see this one.
#include <cstdint>

#include "kernels/cuda/common/arith.cuh"
#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/imma.cuh"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/tile.cuh"
#include "kernels/cuda/common/tuning.h"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace separable_short_kernels {
namespace {

constexpr int size = 3;                             // taps of a pass, around the output sample
constexpr int warps = sm90::separable_short.warps;  // warps of a block, one below the other
constexpr int strip = sm90::separable_short.strip;  // rows that a warp computes
constexpr int columns = 8;                          // adjacent columns of a thread
constexpr int tile_width = warp_size * columns;
constexpr int tile_height = warps * strip;
static_assert((strip + size - 1) % size == 0, "strips are walked in turns of `size` rows");

struct Work {
  Batch batch;
  Sampling sampling;
  Rounding rounding;
  // Pairs of 16-bit taps for outputs of even and of odd columns: see row_sums().
  int even[2], odd[2];
  int row_shift;
  std::int32_t row_start;  // start of a row sum: rounds it
  std::int32_t start;      // start of a column sum: Finish::offset
  std::int32_t column[size];
};

// Returns c + a0 * b0 + a1 * b1 with the two halves of a, signed, and the lower or upper two bytes
// of b.
__device__ inline std::int32_t dot_lower(int a, unsigned b, std::int32_t c) {
  std::int32_t d;
  asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
__device__ inline std::int32_t dot_upper(int a, unsigned b, std::int32_t c) {
  std::int32_t d;
  asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

// Makes the row sums of eight outputs, from samples that begin four before the first. A pair of
// outputs sees four samples: the even one the first three, the odd one the last three.
__device__ inline void row_sums(std::int32_t (&t)[columns], const unsigned (&w)[4],
                                const Work& work) {
#pragma unroll
  for (int i = 0; i < columns; i += 2) {
    const unsigned four = i % 4 == 0 ? __byte_perm(w[i / 4], w[i / 4 + 1], 0x6543)
                                     : __byte_perm(w[i / 4 + 1], w[i / 4 + 2], 0x4321);
    const std::int32_t even = dot_lower(work.even[0], four, work.row_start);
    const std::int32_t odd = dot_lower(work.odd[0], four, work.row_start);
    t[i] = dot_upper(work.even[1], four, even) >> work.row_shift;
    t[i + 1] = dot_upper(work.odd[1], four, odd) >> work.row_shift;
  }
}

__global__ void __launch_bounds__(warp_size* warps)
    separable_short_kernel(const __grid_constant__ Work work) {
  constexpr int half = size / 2;
  constexpr int margin = vector_samples<std::uint8_t>;
  constexpr int pitch = tile_width + 2 * margin;
  constexpr int rows = tile_height + size - 1;
  __shared__ __align__(16) std::uint8_t samples[rows * pitch];

  const Tile tile = this_tile(work.batch, tile_width, tile_height);
  wait_for_earlier_kernels();
  const Piece piece{tile.x - margin, tile.y - half, pitch, rows, half, half, half};
  load_tile(samples, piece, tile.pair.src.as<const std::uint8_t>(), work.sampling);
  __syncthreads();

  const Plane<std::uint8_t> dst = tile.pair.dst.as<std::uint8_t>();
  const int column = columns * static_cast<int>(threadIdx.x);
  const int first_row = strip * static_cast<int>(threadIdx.y);
  const int x = tile.x + column, y0 = tile.y + first_row;
  const int outputs = min(strip, dst.height - y0);
  if (outputs < 1 || x >= dst.width) return;

  const std::uint8_t* from = samples + first_row * pitch + margin + column;
  const bool aligned = is_aligned(dst, 8) && x + columns <= dst.width;
  std::uint8_t* to = dst.row(y0) + static_cast<std::ptrdiff_t>(x) * dst.step;
  with_rounding(work.rounding, [&](auto round) {
    std::int32_t sums[size][columns] = {};  // sums of the outputs that the next row belongs to
#pragma unroll 1
    for (int output = 1 - size; output < outputs; output += size) {
#pragma unroll
      for (int r = 0; r < size; ++r, from += pitch) {
        const uint2 middle = *reinterpret_cast<const uint2*>(from);
        const unsigned w[4] = {*reinterpret_cast<const unsigned*>(from - 4), middle.x, middle.y,
                               *reinterpret_cast<const unsigned*>(from + 8)};
        std::int32_t t[columns];
        row_sums(t, w, work);
#pragma unroll
        for (int j = 0; j < size; ++j)
#pragma unroll
          for (int c = 0; c < columns; ++c) {
            std::int32_t& sum = sums[(r + size - j) % size][c];
            sum = multiply_add(work.column[j], t[c], j == 0 ? work.start : sum);
          }
        if (r < size - 1 && output < 0) continue;
        if (output + r >= outputs) return;
        const std::int32_t* const done = sums[(r + 1) % size];
        const uint2 codes = {
            pack_codes(round(done[0]), round(done[1]), round(done[2]), round(done[3])),
            pack_codes(round(done[4]), round(done[5]), round(done[6]), round(done[7]))};
        if (aligned) {
          __stcs(reinterpret_cast<uint2*>(to), codes);
        } else {
#pragma unroll
          for (int c = 0; c < columns; ++c)
            if (x + c < dst.width)
              to[static_cast<std::ptrdiff_t>(c) * dst.step] =
                  static_cast<std::uint8_t>((c < 4 ? codes.x : codes.y) >> (c % 4 * 8));
        }
        to += dst.stride;
      }
    }
  });
}

class SeparableShort final : public Convolver {
 public:
  explicit SeparableShort(const Plan& plan) {
    const Taps& taps = plan.terms[0];
    work_.sampling = sampling_of(plan);
    work_.rounding = rounding_of(plan.finish);
    int row[size] = {};
    for (int i = 0; i < taps.width; ++i)
      row[size / 2 - taps.anchor_x + i] = static_cast<int>(taps.row[static_cast<std::size_t>(i)]);
    for (int j = 0; j < taps.height; ++j)
      work_.column[size / 2 - taps.anchor_y + j] =
          static_cast<std::int32_t>(taps.column[static_cast<std::size_t>(j)]);
    const auto pair = [](int low, int high) {
      return static_cast<int>((static_cast<unsigned>(high) << 16) |
                              (static_cast<unsigned>(low) & 0xFFFFu));
    };
    work_.even[0] = pair(row[0], row[1]);
    work_.even[1] = pair(row[2], 0);
    work_.odd[0] = pair(0, row[0]);
    work_.odd[1] = pair(row[1], row[2]);
    work_.row_shift = taps.row_shift;
    work_.row_start = 1 << taps.row_shift >> 1;
    work_.start = plan.finish.offset;
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    for_each_batch(pairs, tile_width, tile_height, [&](const Batch& batch, int blocks) {
      work_.batch = batch;
      launch("cuda-separable-short", separable_short_kernel, blocks, dim3(warp_size, warps), 0,
             stream, work_);
    });
  }

 private:
  Work work_{};
};

}  // namespace
}  // namespace separable_short_kernels

bool supports_separable_short(const Plan& plan) {
  if (plan.sample != SampleType{Storage::u8, 8, 0} || plan.arith != Arith::int32 ||
      plan.terms.size() != 1 || plan.finish.combine != Combine::linear)
    return false;
  const Taps& taps = plan.terms[0];
  return taps.separable() && square_for(plan) <= separable_short_kernels::size &&
         bytes_needed(taps.row) != 0 && rounding_serves(plan.finish);
}

std::unique_ptr<Convolver> make_separable_short(const Plan& plan, int) {
  return std::make_unique<separable_short_kernels::SeparableShort>(plan);
}

}  // namespace vidconv::cuda
