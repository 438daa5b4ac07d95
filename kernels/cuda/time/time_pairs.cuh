// Taps over frames where sums fit 16 bits: a register adds up those of two samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/output.cuh"
#include "kernels/filter/over_time.h"

namespace vidconv::cuda {

struct PairsWork {
  Batch batch;    // planes in whole, aligned rows; sources are those of the filtered frame
  Finish finish;  // takes sums that begin at `start`
  int shift, count;
  unsigned codes;  // the bits of a code, twice
  unsigned start;  // keeps sums at 0 or above, twice
  // Where no result is clamped: (sum * multiplier + addend) has the code as its uppermost bits, as
  // many as a sample has. A multiplier of 0: `finish` does it.
  unsigned multiplier, addend;
  std::ptrdiff_t apart[max_time_taps];
  int taps[max_time_taps];
};
// Every device takes so much as the parameters of a launch.
static_assert(sizeof(PairsWork) <= 4096);

// Sets the multiplier where n / divisor, of every n that there is, is the upper part of one product
// of 32 bits. With e = multiplier * divisor - 2^bits and n = q * divisor + r, the product is
// 2^bits * (q + (r + n * e / 2^bits) / divisor): q where n * e < 2^bits.
inline void set_multiplier(PairsWork& work, const Plan& plan, double least, double most) {
  const Finish& f = plan.finish;
  work.multiplier = work.addend = 0;
  if (f.combine != Combine::linear || f.absolute || plan.sample.shift != 0) return;
  const std::int64_t before = std::int64_t{f.offset} + f.half;
  const std::int64_t first = before + static_cast<std::int64_t>(least),
                     last = before + static_cast<std::int64_t>(most);
  if (first < f.lowest || last > f.limit) return;
  const std::int64_t one = std::int64_t{1} << (32 - 8 * plan.sample.bytes());
  const std::int64_t multiplier = (one + f.divisor - 1) / f.divisor;
  if (last * (multiplier * f.divisor - one) >= one || last * multiplier > UINT32_MAX) return;
  work.multiplier = static_cast<unsigned>(multiplier);
  work.addend = static_cast<unsigned>((before + static_cast<std::int64_t>(least)) * multiplier);
}

// Returns the work of a plan but for its planes and frames; nothing where sums need more bits.
inline std::optional<PairsWork> pairs_work(const Plan& plan) {
  if (plan.arith != Arith::int32 || plan.over_time->threshold >= 0) return std::nullopt;
  const std::vector<double>& taps = plan.terms[0].dense;
  double least = 0, most = 0;
  for (const double tap : taps) (tap < 0 ? least : most) += tap * plan.sample.max();
  if (most - least > UINT16_MAX) return std::nullopt;
  const auto start = static_cast<unsigned>(-least);
  const auto codes = static_cast<unsigned>(plan.sample.max());
  PairsWork work{.batch = {},
                 .finish = plan.finish,
                 .shift = plan.sample.shift,
                 .count = static_cast<int>(taps.size()),
                 .codes = codes << 16 | codes,
                 .start = start << 16 | start,
                 .multiplier = 0,
                 .addend = 0,
                 .apart = {},
                 .taps = {}};
  work.finish.offset -= static_cast<int>(start);
  set_multiplier(work, plan, least, most);
  for (std::size_t k = 0; k < taps.size(); ++k) work.taps[k] = static_cast<int>(taps[k]);
  return work;
}

inline constexpr int pairs_lanes = 32, pairs_warps = 8;

// The registers of a thread are limited as far as it does without memory: of 3 frames of 8 bits a
// multiprocessor then has room for all blocks of an HD frame at once.
template <class T, int at_once>
constexpr int pairs_blocks = at_once == 3 && sizeof(T) == 1 ? 7
                             : at_once <= 5                 ? 6
                                                            : 4;

// `at_once`: the frames whose samples are on their way.
template <class T, int at_once>
__global__ void __launch_bounds__(pairs_lanes* pairs_warps, pairs_blocks<T, at_once>)
    time_pairs_kernel(const __grid_constant__ PairsWork work) {
  constexpr int n = vector_samples<T>;
  constexpr int words = 4, in_word = sizeof(T) == 1 ? 2 : 1;  // pairs
  const Tile tile = this_tile(work.batch, pairs_lanes * n, pairs_warps);
  let_next_kernel_start();
  wait_for_earlier_kernels();
  const Plane<const T> src = tile.pair.src.as<const T>();
  const Plane<T> dst = tile.pair.dst.as<T>();
  const int x = tile.x + static_cast<int>(threadIdx.x) * n;
  const int y = tile.y + static_cast<int>(threadIdx.y);
  if (x >= dst.width || y >= dst.height) return;
  const auto* const from = reinterpret_cast<const std::byte*>(src.row(y) + x);
  T codes[n];

  if (x + n > dst.width) {  // the end of a row
#pragma unroll 1
    for (int i = 0; x + i < dst.width; ++i) {
      int sum = static_cast<int>(work.start & 0xffff);
#pragma unroll 1
      for (int k = 0; k < work.count; ++k)
        sum += work.taps[k] *
               (__ldg(reinterpret_cast<const T*>(from + work.apart[k]) + i) >> work.shift);
      dst.row(y)[x + i] = static_cast<T>(finish_int(work.finish, sum) << work.shift);
    }
    return;
  }

  unsigned sums[words * in_word];
#pragma unroll
  for (unsigned& sum : sums) sum = work.start;
  for (int k = 0; k < work.count; k += at_once) {
    uint4 vectors[at_once];
#pragma unroll
    for (int j = 0; j < at_once; ++j)
      if (k + j < work.count)
        vectors[j] = __ldg(reinterpret_cast<const uint4*>(from + work.apart[k + j]));
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      if (k + j >= work.count) break;
      const auto tap = static_cast<unsigned>(work.taps[k + j]);
      const unsigned word[words] = {vectors[j].x, vectors[j].y, vectors[j].z, vectors[j].w};
#pragma unroll
      for (int w = 0; w < words; ++w) {
        if constexpr (sizeof(T) == 1) {
          sums[2 * w] += tap * (word[w] & 0x00ff00ffu);
          sums[2 * w + 1] += tap * __byte_perm(word[w], 0, 0x4341);
        } else {
          sums[w] += tap * (word[w] >> work.shift & work.codes);
        }
      }
    }
  }

  const auto sum_of = [&](int i) {
    // The first and the third of four bytes are one pair, the others the other.
    const unsigned sum = sizeof(T) == 1 ? sums[i / 4 * 2 + i % 2] : sums[i / 2];
    const bool upper = sizeof(T) == 1 ? i % 4 >= 2 : i % 2 == 1;
    return upper ? sum >> 16 : sum & 0xffff;
  };
  if (work.multiplier != 0) {
    const auto product = [&](int i) { return sum_of(i) * work.multiplier + work.addend; };
    unsigned word[words];
#pragma unroll
    for (int w = 0; w < words; ++w) {
      if constexpr (sizeof(T) == 1)
        word[w] = __byte_perm(__byte_perm(product(4 * w), product(4 * w + 1), 0x0073),
                              __byte_perm(product(4 * w + 2), product(4 * w + 3), 0x0073), 0x5410);
      else
        word[w] = __byte_perm(product(2 * w), product(2 * w + 1), 0x7632);
    }
    *reinterpret_cast<uint4*>(dst.row(y) + x) = make_uint4(word[0], word[1], word[2], word[3]);
    return;
  }
  with_finish(work.finish, [&](const Finish& f) {
#pragma unroll
    for (int i = 0; i < n; ++i)
      codes[i] = static_cast<T>(finish_int(f, static_cast<int>(sum_of(i))));
    store<n>(dst, x, y, codes, work.shift, true);
  });
}

}  // namespace vidconv::cuda
