// cuda-dense-rows: a matrix that fits into 9x9 around the output sample, or the length of two, over
// samples of 16 bits or floats that bulk copies load (bulk_rows.cuh).
//
// A thread keeps sums of the outputs that see the row at hand: row by row they move up by one, and
// the uppermost is complete. So the rows of a sum come from top to bottom, as docs/numerics.md
// demands; and each row of samples is read once. The length of gradients of 3x3 has a kernel for
// whole pixels of three or four components too (Plan::components), without the zeros between taps.
#include <algorithm>
#include <bit>

#include "kernels/cuda/common/arith.cuh"
#include "kernels/cuda/common/bulk_or_other.cuh"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device.h"
#include "kernels/cuda/common/kept_rows.cuh"
#include "kernels/cuda/common/pixel_taps.h"
#include "kernels/cuda/common/real_finish.cuh"
#include "kernels/cuda/common/stream.cuh"
#include "kernels/cuda/common/then_copy.h"
#include "kernels/cuda/common/tuning.h"
#include "kernels/cuda/common/warp_rows.cuh"
#include "kernels/cuda/variants.h"
#include "kernels/plan/finish.h"

namespace vidconv::cuda {
namespace dense_rows_kernels {
namespace {

// How sums are made, and how they become a response.
enum class Way {
  length,   // two matrices, by Combine::l2; sums of integers below 2^24
  ordered,  // one matrix; the chains of floats of docs/numerics.md
  ordered_length,
};
[[maybe_unused]] constexpr bool is_ordered(Way way) {
  return way == Way::ordered || way == Way::ordered_length;
}
constexpr bool is_length(Way way) { return way == Way::length || way == Way::ordered_length; }
constexpr int terms(Way way) { return is_length(way) ? 2 : 1; }

// Passed by value as a launch parameter. Taps are centred, and filled up with zeros, which change
// no sum of codes. Taps for floats fill everything, because a sample may be infinite.
template <int size, int terms>
struct Work {
  Batch batch;
  PixelSampling sampling;
  int slabs;      // slabs of a tile
  unsigned kept;  // Plan::kept
  Finish finish;
  RealFinish real;
  float taps[terms][size * size];
};

// `apart` is the number of columns from one tap of a row to the next, one more than zeros between.
template <class T, int size, int apart>
using Rows = BulkRows<T, size / 2, sm90::dense_rows, float, size / 2 * apart>;

// Returns the root of an integer below 2^100, correctly rounded: sqrtf() without its test for
// numbers that need more, one of which is 0.
[[maybe_unused]] __device__ inline float root(float s) {  // unused before sm_90
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(fmaxf(s, 1.0f)));
  const float g = s * y, h = 0.5f * y;
  return __fmaf_rn(__fmaf_rn(-g, g, s), h, g);
}

template <class T, Way way, int size, int apart>
struct Outputs {
  using S = Rows<T, size, apart>;
  static constexpr int n = S::columns;
  static_assert(n == 2 && size % 2 == 1);
  // A thread's outputs need the samples [reach, window) from where its columns of the slab begin.
  static constexpr int reach = S::margin - S::aside, window = n + S::margin + S::aside;
  static constexpr int first = reach / n * n, last = (window + n - 1) / n * n;
  using Given = Work<size, terms(way)>;
  static constexpr bool is_needed(int i) { return is_under_tap(i, reach, n, size, apart); }

  float total[terms(way)][size][n] = {};  // total[.][i] lacks i rows; total[.][0] is complete

  __device__ void add_row(const float (&samples)[last], const Given& work) {
#pragma unroll
    for (int k = 0; k < terms(way); ++k)
#pragma unroll
      for (int i = 0; i < size; ++i)
#pragma unroll
        for (int x = 0; x < n; ++x) {
          const float before = i + 1 < size ? total[k][i + 1][x] : 0.0f;
          float chain = is_ordered(way) ? 0.0f : before;
#pragma unroll
          for (int c = 0; c < size; ++c)
            chain = multiply_add(work.taps[k][(size - 1 - i) * size + c],
                                 samples[reach + c * apart + x], chain);
          total[k][i][x] = is_ordered(way) ? before + chain : chain;
        }
  }

  __device__ float response(int x) const {
    if constexpr (!is_length(way)) return total[0][0][x];
    const float a = total[0][0][x], b = total[terms(way) - 1][0][x];
    const float squares = a * a + b * b;
    return way == Way::length ? root(squares) : sqrtf(squares);
  }

  __device__ PairOf<T> pair(const Given& work) const {
    return finish_pair<T>(response(0), response(1), work.real, work.finish.absolute,
                          work.sampling.shift);
  }
};

template <class T, Way way, int size, int apart>
__global__ void __launch_bounds__(Rows<T, size, apart>::threads, 2)
    dense_rows_kernel(const __grid_constant__ Work<size, terms(way)> work) {
#if __CUDA_ARCH__ >= 900
  using S = Rows<T, size, apart>;
  using O = Outputs<T, way, size, apart>;
  walk_down<S>(work.batch, work.sampling, work.slabs,
               [&](WarpRows<S>& slab_rows, const Tile& tile, int outputs, int slabs) {
                 const Plane<T> dst = tile.pair.dst.as<T>();
                 const int x = tile.x + static_cast<int>(threadIdx.x) * S::columns;
                 const auto limit = static_cast<unsigned>(x < dst.width ? outputs : 0);
                 O sums;
                 int output = 1 - size;  // the output that the next row completes
                 auto* to = reinterpret_cast<std::byte*>(dst.row(tile.y + output) + x);
                 __builtin_assume(__isGlobal(to));  // so that stores are compiled for global memory
                 KeptRows<apart == components_with_alpha, S::rows> kept(tile.pair.src, x,
                                                                        tile.y + output, work.kept);
#pragma unroll 1
                 for (; slabs > 0; --slabs) {
                   SharedAddress from = slab_rows.next();
#pragma unroll 1
                   for (int at = 0; at < S::slab_rows;
                        at += S::rows, from += S::rows * S::values_pitch * 4) {
                     kept.load(output, limit);
                     float samples[S::rows][O::last];
#pragma unroll
                     for (int r = 0; r < S::rows; ++r)
#pragma unroll
                       for (int i = O::first; i < O::last; i += O::n)
                         if (O::is_needed(i) || O::is_needed(i + 1))
                           load_values(samples[r] + i,
                                       from + static_cast<unsigned>(r * S::values_pitch + i) * 4);
#pragma unroll
                     for (int r = 0; r < S::rows; ++r, ++output, to += dst.stride) {
                       sums.add_row(samples[r], work);
                       const PairOf<T> pair = sums.pair(work);  // in any case: so rows overlap
                       if (static_cast<unsigned>(output) < limit)
                         *reinterpret_cast<PairOf<T>*>(to) = kept.with(pair, r);
                     }
                   }
                   slab_rows.done();
                 }
               });
#else
  __trap();  // BulkKernel does not launch this
#endif
}

template <class T, Way way, int size, int apart>
StripCost strips_of() {
  StripCost cost = std::is_same_v<T, float>
                       ? (size > 3 ? sm90::dense_rows_larger : sm90::dense_rows_strips)
                       : (is_length(way) ? sm90::dense_rows_length : sm90::dense_rows_strips);
  if (cost.at_once == 0)
    cost.at_once = blocks_at_once(dense_rows_kernel<T, way, size, apart>,
                                  Rows<T, size, apart>::threads, Rows<T, size, apart>::bytes) /
                   multiprocessors();
  return cost;
}

// Makes a convolver that runs the kernel for pairs that it can take.
template <class T, Way way, int size, int apart = 1>
std::unique_ptr<Convolver> make_of(const Plan& plan) {
  Work<size, terms(way)> work{};
  work.sampling = pixel_sampling_of(plan);
  work.finish = plan.finish;
  work.kept = plan.kept;
  work.real = real_finish_of(plan, is_length(way));
  for (int k = 0; k < terms(way); ++k) {
    const Taps& t = plan.terms[static_cast<std::size_t>(k)];
    for (int j = 0; j < t.height; ++j)
      for (int i = 0; i < t.width; i += apart)
        work.taps[k][(size / 2 - t.anchor_y + j) * size + size / 2 + (i - t.anchor_x) / apart] =
            static_cast<float>(t.dense[static_cast<std::size_t>(j * t.width + i)]);
  }
  return bulk_or_other(BulkKernel<Rows<T, size, apart>, Work<size, terms(way)>>(
                           "cuda-dense-rows", dense_rows_kernel<T, way, size, apart>, plan, work,
                           size, strips_of<T, way, size, apart>()),
                       plan.components == 1 && supports_dense_small(plan)
                           ? make_dense_small(plan, 1)
                           : then_copy_kept(make_dense(plan, 1), plan));
}

// The largest matrices for which this was measured to be faster than the alternatives
// (docs/decisions/rows-by-bulk-copies.md): pairs, floats, and 16 bits in float.
constexpr int largest_pair = 3, largest_floats = 7, largest_codes = 9;

template <class T, Way way, int size>
std::unique_ptr<Convolver> make_sized(const Plan& plan) {
  if constexpr (size < (std::is_same_v<T, float> ? largest_floats : largest_codes))
    if (square_for(plan) > size) return make_sized<T, way, size + 2>(plan);
  return make_of<T, way, size>(plan);
}

bool has_taps_apart(const Plan& plan) { return plan.terms.size() == 2 && plan.components >= 3; }

}  // namespace
}  // namespace dense_rows_kernels

bool supports_dense_rows(const Plan& plan, const CudaAbilities& abilities) {
  using namespace dense_rows_kernels;
  const bool floats = plan.sample.storage == Storage::f32;
  const int most = plan.terms.size() == 2 ? largest_pair : floats ? largest_floats : largest_codes;
  const bool apart = has_taps_apart(plan);
  if (plan.kept != 0 && !(apart && keeps_in_rows(plan))) return false;
  if (plan.sample.storage == Storage::u8 || !supports_dense(plan) || abilities.generation < 9 ||
      plan.border == BorderMode::wrap || (apart ? square_of_pixels(plan) : square_for(plan)) > most)
    return false;
  if (floats && !std::ranges::all_of(plan.terms, [&](const Taps& t) {
        return t.width == square_for(plan) && t.height == square_for(plan);
      }))
    return false;
  if (plan.finish.combine == Combine::linear)
    return plan.terms.size() == 1 && plan.arith == Arith::float32;
  if (plan.finish.combine != Combine::l2 || plan.terms.size() != 2) return false;
  return floats || (plan.arith == Arith::int32 && plan.fits24 &&
                    std::has_single_bit(static_cast<unsigned>(plan.finish.real_divisor)));
}

std::unique_ptr<Convolver> make_dense_rows(const Plan& plan, int) {
  using namespace dense_rows_kernels;
  const bool two = plan.terms.size() == 2;
  if (plan.sample.storage == Storage::f32)
    return two ? make_of<float, Way::ordered_length, largest_pair>(plan)
               : make_sized<float, Way::ordered, 3>(plan);
  if (two && has_taps_apart(plan))
    return plan.components == 3 ? make_of<std::uint16_t, Way::length, largest_pair, 3>(plan)
                                : make_of<std::uint16_t, Way::length, largest_pair, 4>(plan);
  if (two) return make_of<std::uint16_t, Way::length, largest_pair>(plan);
  return make_sized<std::uint16_t, Way::ordered, 3>(plan);
}

}  // namespace vidconv::cuda
