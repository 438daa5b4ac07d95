// cuda-separable-imma: two integer passes on the integer tensor cores.
//
// A warp owns 16 columns and walks down. Every 16 rows the row pass makes 16 x 16 sums as
//   [16 columns x window of samples] * [window x 8 rows],  twice,
// taps in A, samples in B. Its sums lie in registers so that, rounded and cut into two bytes, they
// are B of the column pass without leaving their lane:
//   [16 rows x window of sums] * [window x 8 columns],  twice.
// Sums, and samples of 16 bits, take a product for each of their bytes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device.h"
#include "kernels/cuda/common/device_array.h"
#include "kernels/cuda/common/imma_passes.cuh"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/output.cuh"
#include "kernels/cuda/common/tile.cuh"
#include "kernels/cuda/common/tuning.h"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace separable_imma_kernels {
namespace {

constexpr int warps = 8;    // warps of a block, side by side
constexpr int square = 16;  // columns that a warp owns, and rows in one step of its walk
constexpr int tile_width = warps * square;
constexpr WalkCost cost = sm90::separable_imma;

struct Work {
  Batch batch;
  PixelSampling sampling;
  Rounding rounding;  // rounding of 8-bit codes
  Finish finish;      // finish of codes with more bits
  const uint4* taps;  // [pass][byte][word / 4][lane], in device memory
  int row_shift;
  std::int32_t row_start;  // start of a row sum: rounds it, and takes away its least possible value
  int tile_height;         // a multiple of `square`
  std::int32_t start;      // start of a column sum: makes up for that, adds Finish::offset (8 bits)
  uint2 kept;              // the bits of 4 samples side by side that are only to be copied
};

// 4 samples side by side, as they are stored.
template <class T>
using FourOf = std::conditional_t<sizeof(T) == 1, unsigned, uint2>;

// Returns `made` with the samples as they came where `kept` has bits.
__device__ inline unsigned with_kept(unsigned made, const std::uint8_t* came, uint2 kept) {
  return (made & ~kept.x) | (*reinterpret_cast<const unsigned*>(came) & kept.x);
}
__device__ inline uint2 with_kept(uint2 made, const std::uint16_t* came, uint2 kept) {
  const uint2 v = *reinterpret_cast<const uint2*>(came);
  return {(made.x & ~kept.x) | (v.x & kept.x), (made.y & ~kept.y) | (v.y & kept.y)};
}

// Stores codes for a warp where they are not whole words: 8 rows of 16 codes pass through its own
// piece of shared memory, so that lanes store adjacent samples.
template <class T>
class Stager {
 public:
  // `y` is the first row, `x` the first column of the warp.
  __device__ Stager(FourOf<T>* piece, const Plane<T>& dst, int x, int y)
      : piece_(piece), stride_(dst.stride) {
    const int lane = static_cast<int>(threadIdx.x);
    const int column = x + lane % square, row = y + lane / square;
    to_ =
        reinterpret_cast<std::byte*>(dst.row(row) + static_cast<std::ptrdiff_t>(column) * dst.step);
    rows_left_ = column < dst.width ? dst.height - row : 0;
  }

  // Stores 8 rows of codes: lane 4 * g + q gives 4 codes of row g, from column 4 * q on. The next
  // call stores the rows below.
  __device__ void store(FourOf<T> codes) {
    const int lane = static_cast<int>(threadIdx.x);
    piece_[lane] = codes;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (2 * i < rows_left_)
        *reinterpret_cast<T*>(to_) = reinterpret_cast<const T*>(piece_)[i * warp_size + lane];
      to_ += 2 * stride_;
    }
    rows_left_ -= 8;
    __syncwarp();
  }

 private:
  FourOf<T>* piece_;
  std::ptrdiff_t stride_;
  std::byte* to_;
  int rows_left_;  // rows left in the plane, from the lane's own on
};

constexpr int shared_limit = 48 * 1024;  // bytes that every device gives a block by default

constexpr int rows_of(int tile_height, int down) { return tile_height + 2 * radius(down); }

// The samples of a tile in shared memory. Windows of the row pass are `across` chunks, windows of
// the column pass `down` chunks.
template <class T, int across, int down>
struct Layout {
  static constexpr int aside = radius(across), reach = radius(down);
  static constexpr int margin = round_up(aside, vector_samples<T>);
  static constexpr int pitch = tile_width + 2 * margin;
  static constexpr int row_bytes = pitch * static_cast<int>(sizeof(T));
  static constexpr int most_steps =
      std::min(cost.most_steps, (shared_limit / row_bytes - 2 * reach) / square);
};

// Returns sums of the row pass for 8 rows of samples; the window of the lane's own begins at
// `from`.
template <int chunks, int bytes>
__device__ inline Sums row_sums(const PassTaps<chunks, bytes>& taps, const std::uint8_t* from,
                                int q, const Sums& kept_start, std::int32_t start) {
  unsigned window[chunks];
  load_window<chunks>(window, from, q);
  Sums sums = taps.template multiply_add<0>(window, kept_start);
  if constexpr (bytes == 2)
    sums = taps.template multiply_add<bytes - 1>(window, next_byte(sums, start));
  return sums;
}
template <int chunks, int bytes>
__device__ inline Sums row_sums(const PassTaps<chunks, bytes>& taps, const std::uint16_t* from,
                                int q, const Sums&, std::int32_t start) {
  unsigned low[chunks], high[chunks];
  load_window<chunks>(low, high, from, q);
  return column_sums(taps, low, high, start);
}

// Calls body(codes) with the function that makes stored codes from four sums.
template <class T, class Body>
__device__ inline void with_codes(const Work& work, Body body) {
  if constexpr (sizeof(T) == 1)
    with_rounding(work.rounding, [&](auto round) {
      body([=](std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
        return pack_codes(round(a), round(b), round(c), round(d));
      });
    });
  else
    with_finish(work.finish, [&](const Finish& f) {
      const auto pair = [&](std::int32_t a, std::int32_t b) {
        const auto low = static_cast<unsigned>(finish_int(f, a));
        return (low | static_cast<unsigned>(finish_int(f, b)) << 16) << work.sampling.shift;
      };
      body([=](std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
        return make_uint2(pair(a, b), pair(c, d));
      });
    });
}

template <class T, int across, int down, int bytes, int shift, bool pixels>
__global__ void __launch_bounds__(warp_size* warps)
    separable_imma_kernel(const __grid_constant__ Work work) {
  using L = Layout<T, across, down>;
  using RowTaps = PassTaps<across, bytes>;
  extern __shared__ uint4 shared[];
  __shared__ FourOf<T> staged[warps][warp_size];
  auto* const samples = reinterpret_cast<T*>(shared);

  const Tile tile = this_tile(work.batch, tile_width, work.tile_height);
  const RowTaps row_taps(work.taps);
  const PassTaps<down, bytes> column_taps(work.taps + bytes * RowTaps::vectors * warp_size);
  let_next_kernel_start();
  wait_for_earlier_kernels();
  const Piece piece{
      tile.x - L::margin, tile.y - L::reach, L::pitch, rows_of(work.tile_height, down),
      L::aside,           L::reach,          L::aside};
  load_tile(samples, piece, tile.pair.src.as<const T>(), sampling_for<pixels>(work.sampling));
  __syncthreads();

  const int g = static_cast<int>(threadIdx.x) / 4, q = static_cast<int>(threadIdx.x) % 4;
  const int first_column = static_cast<int>(threadIdx.y) * square;
  const Plane<T> dst = tile.pair.dst.as<T>();
  const int x = tile.x + first_column;
  if (x >= dst.width) return;

  const Sums row_start = all_kept(bytes == 2 ? 0 : work.row_start);
  const int steps = (min(work.tile_height, dst.height - tile.y) + square - 1) / square;
  // Calls store(4 codes side by side) for rows g, g + 8, g + 16 and so on of the tile.
  const bool keeps = pixels && (work.kept.x | work.kept.y) != 0;
  const auto walk = [&](auto codes, auto store) {
    const T* from = samples + g * L::pitch + L::margin - L::aside + first_column;
    unsigned low[2][down], high[2][down];  // windows of the column pass
#pragma unroll 1
    for (int step = 1 - down; step < steps; ++step, from += square * L::pitch) {
      Sums sums[2];
#pragma unroll
      for (int eight = 0; eight < 2; ++eight)
        sums[eight] = row_sums(row_taps, from + eight * 8 * L::pitch, q, row_start, work.row_start);
      const Between between = split<shift>(sums[0], sums[1], work.row_shift);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int c = 0; c + 1 < down; ++c) {
          low[half][c] = low[half][c + 1];
          high[half][c] = high[half][c + 1];
        }
        low[half][down - 1] = between.low[half];
        high[half][down - 1] = between.high[half];
      }
      if (step < 0) continue;

      const Sums left = column_sums(column_taps, low[0], high[0], work.start);
      const Sums right = column_sums(column_taps, low[1], high[1], work.start);
#pragma unroll
      for (int eight = 0; eight < 2; ++eight) {
        FourOf<T> four = codes(left.v[2 * eight], left.v[2 * eight + 1], right.v[2 * eight],
                               right.v[2 * eight + 1]);
        if (keeps)
          four = with_kept(four, from + (8 * eight - L::reach) * L::pitch + L::aside + 4 * q,
                           work.kept);
        store(four);
      }
    }
  };
  const bool whole = is_aligned(dst, 4 * sizeof(T)) && x + square <= dst.width &&
                     tile.y + steps * square <= dst.height;
  with_codes<T>(work, [&](auto codes) {
    if (whole) {
      auto* to = reinterpret_cast<std::byte*>(dst.row(tile.y + g) + x + 4 * q);
      walk(codes, [&](FourOf<T> four) {
        *reinterpret_cast<FourOf<T>*>(to) = four;
        to += 8 * dst.stride;
      });
    } else {
      Stager<T> stager(staged[threadIdx.y], dst, x, tile.y);
      walk(codes, [&](FourOf<T> four) { stager.store(four); });
    }
  });
}

// Returns how many chunks a window needs for `count` taps, of which number `anchor` lies on the
// output sample.
int chunks_needed(int count, int anchor) {
  return std::max(2, 1 + (std::max(anchor, count - 1 - anchor) + 7) / 8);
}

// A kernel, and the arguments of its template that the host needs.
struct KernelOf {
  void (*kernel)(Work);
  int across, down, bytes;
  int row_bytes, most_steps;  // as in Layout
};

class SeparableImma final : public Convolver {
 public:
  SeparableImma(const Plan& plan, const Taps& taps, const KernelOf& of)
      : of_(of), taps_(all_taps(taps, of)) {
    const bool narrow = plan.sample.storage == Storage::u8;
    work_.sampling = pixel_sampling_of(plan);
    if (narrow) work_.rounding = rounding_of(plan.finish);
    work_.finish = plan.finish;
    work_.taps = reinterpret_cast<const uint4*>(taps_.data());
    work_.row_shift = taps.row_shift;
    work_.row_start =
        static_cast<std::int32_t>((1 << taps.row_shift >> 1) - (taps.row_min << taps.row_shift));
    std::int64_t column_sum = 0;
    for (double tap : taps.column) column_sum += static_cast<std::int64_t>(tap);
    // Computed modulo 2^32, as are the sums on the way; the result fits.
    work_.start =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(column_sum * taps.row_min) +
                                  static_cast<std::uint32_t>(narrow ? plan.finish.offset : 0));

    for (int i = 0; i < 4; ++i)
      if (plan.keeps(i)) {
        const int bit = (narrow ? 8 : 16) * i;
        (bit < 32 ? work_.kept.x : work_.kept.y) |= (narrow ? 0xFFu : 0xFFFFu) << bit % 32;
      }

    blocks_at_once_ =
        blocks_at_once(of.kernel, warp_size * warps, shared_bytes(of.most_steps * square));
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    work_.tile_height = best_tile_height(pairs);
    for_each_batch(pairs, tile_width, work_.tile_height, [&](const Batch& batch, int blocks) {
      work_.batch = batch;
      launch("cuda-separable-imma", of_.kernel, blocks, dim3(warp_size, warps),
             shared_bytes(work_.tile_height), stream, work_);
    });
  }

 private:
  int shared_bytes(int tile_height) const { return rows_of(tile_height, of_.down) * of_.row_bytes; }

  // Blocks run in waves, as many at once as the device holds. A block's time is about that of its
  // steps, of those before its first outputs, and of what it takes to begin.
  int best_tile_height(std::span<const PlanePair> pairs) const {
    int best = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int steps = cost.least_steps; steps <= of_.most_steps; ++steps) {
      std::int64_t blocks = 0;
      for (const PlanePair& p : pairs)
        blocks += std::int64_t{(p.dst.width + tile_width - 1) / tile_width} *
                  ((p.dst.height + steps * square - 1) / (steps * square));
      const std::int64_t waves = (blocks + blocks_at_once_ - 1) / blocks_at_once_;
      const std::int64_t time = waves * (steps + of_.down + cost.overhead);
      if (time >= least) continue;
      least = time;
      best = steps * square;
    }
    return best;
  }

  static DeviceArray<unsigned> all_taps(const Taps& taps, const KernelOf& of) {
    std::vector<unsigned> words;
    append_taps(words, taps.row, taps.anchor_x, of.across, of.bytes, output_column,
                [&](int k) { return window_slot(k, of.across); });
    append_taps(
        words, taps.column, taps.anchor_y, of.down, of.bytes, [](int m) { return m; },
        between_slot);
    return DeviceArray<unsigned>(words);
  }

  const KernelOf of_;
  DeviceArray<unsigned> taps_;
  Work work_{};
  int blocks_at_once_ = 1;
};

// Returns the passes with row sums in units that are shifted by whole bytes, where 16-bit taps
// allow it: split() takes these as they are.
Taps with_whole_bytes(Taps taps) {
  if (taps.row_shift < 1 || taps.row_shift > 7) return taps;
  Taps finer = taps;
  for (double& tap : finer.row) tap = std::ldexp(tap, 8 - taps.row_shift);
  finer.row_shift = 8;
  return bytes_needed(finer.row) == 0 ? taps : finer;
}

template <class T, int across, int down, bool pixels>
std::unique_ptr<Convolver> make_chunks(const Plan& plan) {
  const Taps taps = with_whole_bytes(plan.terms[0]);
  const auto make = [&]<int bytes, int shift>() {
    using L = Layout<T, across, down>;
    const KernelOf of{separable_imma_kernel<T, across, down, bytes, shift, pixels>,
                      across,
                      down,
                      bytes,
                      L::row_bytes,
                      L::most_steps};
    return std::make_unique<SeparableImma>(plan, taps, of);
  };
  if (bytes_needed(taps.row) == 1 && bytes_needed(taps.column) == 1 && taps.row_shift == 0)
    return make.template operator()<1, 0>();
  return taps.row_shift == 8 ? make.template operator()<2, 8>()
                             : make.template operator()<2, any_shift>();
}

// Taps that lie a pixel apart reach further across than down; those of 8 bits may be wider than
// others.
constexpr int wide_chunks = 6, wide_down = 3;
bool is_wide(const Taps& taps) { return chunks_needed(taps.width, taps.anchor_x) > most_chunks; }

template <class T>
std::unique_ptr<Convolver> make_sized(const Plan& plan) {
  const Taps& taps = plan.terms[0];
  switch (std::max(chunks_needed(taps.width, taps.anchor_x),
                   chunks_needed(taps.height, taps.anchor_y))) {
    case 2:
      return make_chunks<T, 2, 2, false>(plan);
    case 3:
      return make_chunks<T, 3, 3, false>(plan);
    default:
      return make_chunks<T, most_chunks, most_chunks, false>(plan);
  }
}

template <class T>
std::unique_ptr<Convolver> make_for_pixels(const Plan& plan) {
  const Taps& taps = plan.terms[0];
  if constexpr (sizeof(T) == 1)
    if (is_wide(taps)) return make_chunks<T, wide_chunks, wide_down, true>(plan);
  const int across = chunks_needed(taps.width, taps.anchor_x);
  const int down = chunks_needed(taps.height, taps.anchor_y);
  if (down > 2) return make_chunks<T, most_chunks, most_chunks, true>(plan);
  if (across == 2) return make_chunks<T, 2, 2, true>(plan);
  if (across == 3) return make_chunks<T, 3, 2, true>(plan);
  return make_chunks<T, most_chunks, 2, true>(plan);
}

template <class T>
std::unique_ptr<Convolver> make_of(const Plan& plan) {
  return plan.components > 1 ? make_for_pixels<T>(plan) : make_sized<T>(plan);
}

}  // namespace
}  // namespace separable_imma_kernels

bool supports_separable_imma(const Plan& plan, const CudaAbilities& abilities) {
  using namespace separable_imma_kernels;
  if (plan.kept != 0 && (4 % plan.components != 0 || plan.sample.shift != 0)) return false;
  if (!supports_separable(plan) || plan.terms.size() != 1 || plan.finish.combine != Combine::linear)
    return false;
  const Taps& taps = plan.terms[0];
  const bool fits = is_wide(taps) ? plan.components > 1 && plan.sample.storage == Storage::u8 &&
                                        chunks_needed(taps.width, taps.anchor_x) <= wide_chunks &&
                                        chunks_needed(taps.height, taps.anchor_y) <= wide_down
                                  : taps.reach() <= radius(most_chunks);
  return fits && taps.row_max - taps.row_min <= 0xFFFF && bytes_needed(taps.row) != 0 &&
         bytes_needed(taps.column) != 0 &&
         (imma_serves(plan, abilities) || imma_serves_two_bytes(plan, abilities));
}

std::unique_ptr<Convolver> make_separable_imma(const Plan& plan, int) {
  using namespace separable_imma_kernels;
  return plan.sample.storage == Storage::u16 ? make_of<std::uint16_t>(plan)
                                             : make_of<std::uint8_t>(plan);
}

}  // namespace vidconv::cuda
