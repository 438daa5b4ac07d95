// cuda-separable-f32: two passes over float samples, of 3 to 17 taps each way around the output
// sample, unrolled; every chain of fused multiply-adds in the order of docs/numerics.md.
//
// The kernel here takes any planes; separable_rows.cuh has a faster one for most. A block walks
// down, 16 rows at a time: it makes the row sums of a slab, and from the last rows of the slab
// before and this one's it makes 16 rows of outputs.
#include <algorithm>
#include <utility>

#include "kernels/cuda/common/arith.cuh"
#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/bulk_or_other.cuh"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device.h"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/shared_memory.h"
#include "kernels/cuda/common/stream.cuh"
#include "kernels/cuda/common/tuning.h"
#include "kernels/cuda/separable/separable_f32.cuh"
#include "kernels/cuda/separable/separable_rows.cuh"
#include "kernels/cuda/variants.h"
#include "kernels/plan/own_tap.h"

namespace vidconv::cuda {
namespace separable_f32_kernels {
namespace {

constexpr SlabShape tuned = sm90::separable_f32;
constexpr int threads = tuned.threads;
constexpr int tile_width = 128;
constexpr int slab_rows = tuned.slab_rows, depth = tuned.depth;
constexpr int across = tuned.across, columns = tuned.columns;
constexpr int rows = slab_rows * tile_width / columns / threads;  // rows of a thread's outputs
constexpr int largest = 17;
static_assert(largest - 1 <= slab_rows);

// Rows begin an odd number of vectors of 16 bytes apart: so eight lanes that read vectors of
// several rows hit all banks once.
template <int size>
struct Layout {
  static constexpr int half = size / 2, margin = round_up(half, 4);
  static constexpr int pitch = ((tile_width + 2 * margin) / 4 | 1) * 4;
  using Samples = Stream<float, tile_width, margin, pitch, slab_rows, half, depth, threads>;
  static constexpr int sums_pitch = (tile_width / 4 | 1) * 4;
  static constexpr int sums = slab_rows * sums_pitch;  // a slab's sums
  static constexpr int bytes = Samples::bytes + 2 * sums * static_cast<int>(sizeof(float));
};

// Does the row pass over a slab: makes `sums` from `samples`.
template <int size>
__device__ void sum_rows(float* sums, const float* samples, const SeparableF32Work<size>& work) {
  using L = Layout<size>;
  // Eight lanes at a time take `groups` groups of sums in `group_rows` rows: vectors that are 0, 4,
  // ... apart in a row, and 1 from row to row, modulo 8.
  constexpr int groups = 32 / across, group_rows = 8 / groups;
  constexpr int per_row = tile_width / across / groups;  // times eight lanes
  constexpr int rows_at_once = threads / 8 / per_row * group_rows;
  static_assert(rows_at_once >= 1 && slab_rows % rows_at_once == 0);
  const int lane = static_cast<int>(threadIdx.x) % 8, eight = static_cast<int>(threadIdx.x) / 8;
  const int column = (lane % groups + eight % per_row * groups) * across;
  const int row = lane / groups + eight / per_row * group_rows;
#pragma unroll
  for (int r = 0; r < slab_rows; r += rows_at_once) {
    const float* const from = samples + (row + r) * L::pitch + column;
    float window[across + 2 * L::margin];
#pragma unroll
    for (int i = 0; i < across + 2 * L::margin; i += 4) {
      const float4 v = *reinterpret_cast<const float4*>(from + i);
      window[i] = v.x, window[i + 1] = v.y, window[i + 2] = v.z, window[i + 3] = v.w;
    }
    float t[across] = {};
#pragma unroll
    for (int i = 0; i < size; ++i)
#pragma unroll
      for (int x = 0; x < across; ++x)
        t[x] = multiply_add(work.row[i], window[L::margin - L::half + x + i], t[x]);
    auto* const to = reinterpret_cast<float4*>(sums + (row + r) * L::sums_pitch + column);
#pragma unroll
    for (int i = 0; i < across; i += 4) to[i / 4] = make_float4(t[i], t[i + 1], t[i + 2], t[i + 3]);
  }
}

// Does the column pass for the `rows` x `columns` outputs that end in rows [first, first + rows) of
// a slab. `above` and `sums` are the sums of the slab before and of this one, from the column on.
template <int size>
__device__ void sum_columns(float (&total)[rows][columns], const float* above, const float* sums,
                            int first, const SeparableF32Work<size>& work) {
  using L = Layout<size>;
  constexpr int pieces = (size - 1 + rows - 1) / rows;  // `rows` rows each, before `first`
  const float* piece[pieces + 1];
#pragma unroll
  for (int i = 0; i <= pieces; ++i) {
    const int row = first + (i - pieces) * rows;
    piece[i] = row < 0 ? above + (slab_rows + row) * L::sums_pitch : sums + row * L::sums_pitch;
  }
#pragma unroll
  for (int r = 1 - size; r < rows; ++r) {
    const int at = r + pieces * rows;
    const float2 t = *reinterpret_cast<const float2*>(piece[at / rows] + at % rows * L::sums_pitch);
#pragma unroll
    for (int y = 0; y < rows; ++y) {
      const int j = r - (y + 1 - size);
      if (j < 0 || j >= size) continue;
      total[y][0] = multiply_add(work.column[j], t.x, total[y][0]);
      total[y][1] = multiply_add(work.column[j], t.y, total[y][1]);
    }
  }
}

template <class Body>
__device__ void for_outputs(float (&total)[rows][columns], Body body) {
#pragma unroll
  for (int y = 0; y < rows; ++y)
#pragma unroll
    for (int x = 0; x < columns; ++x) body(total[y][x]);
}

// Adds the products of the samples themselves, from column x and row y on, as far as the plane
// reaches.
__device__ void add_own(float (&total)[rows][columns], const Plane<const float>& src, int x, int y,
                        float tap) {
#pragma unroll
  for (int r = 0; r < rows; ++r)
#pragma unroll
    for (int c = 0; c < columns; ++c)
      if (y + r >= 0 && y + r < src.height && x + c < src.width)
        total[r][c] =
            total[r][c] + tap * src.row(y + r)[static_cast<std::ptrdiff_t>(x + c) * src.step];
}

template <int size, bool own>
__global__ void __launch_bounds__(threads, tuned.blocks_wanted)
    separable_f32_kernel(const __grid_constant__ SeparableF32Work<size> work) {
  using L = Layout<size>;
  extern __shared__ float4 shared[];
  auto* const ring = reinterpret_cast<float*>(shared);
  // The first size - 1 rows of sums give no outputs.
  const int tile_height = work.slabs * slab_rows - (size - 1);
  const Tile tile = this_tile(work.batch, tile_width, tile_height);
  const Plane<float> dst = tile.pair.dst.as<float>();
  const int outputs = min(tile_height, dst.height - tile.y);
  const int slabs = (outputs + size - 1 + slab_rows - 1) / slab_rows;
  wait_for_earlier_kernels();
  typename L::Samples samples(ring, tile.x - L::margin, tile.y - L::half, slabs,
                              tile.pair.src.as<const float>(), work.sampling);

  constexpr int side_by_side = tile_width / columns;
  const int column = static_cast<int>(threadIdx.x) % side_by_side * columns;
  const int first = static_cast<int>(threadIdx.x) / side_by_side * rows;
  const int columns_left = dst.width - tile.x - column;
  const bool whole = columns_left >= columns && is_aligned(dst, columns * sizeof(float));
  int output = first - (size - 1);  // the first row that the thread makes of a slab
  auto* to = reinterpret_cast<std::byte*>(dst.row(tile.y + output) +
                                          static_cast<std::ptrdiff_t>(tile.x + column) * dst.step);
  float* sums = ring + L::Samples::bytes / sizeof(float);
  float* above = sums + L::sums;
#pragma unroll 1
  for (int slab = 0; slab < slabs; ++slab, output += slab_rows, to += slab_rows * dst.stride) {
    sum_rows(sums, samples.next(), work);
    __syncthreads();
    if (output + rows > 0 && output < outputs) {
      float total[rows][columns] = {};
      sum_columns(total, above + column, sums + column, first, work);
      if constexpr (own)
        add_own(total, tile.pair.src.as<const float>(), tile.x + column, tile.y + output, work.own);
      for_outputs(total, [&](float& v) { v = v + work.real.offset; });
      if (work.finish.absolute) {
        asm volatile("");  // a branch, not instructions that all threads would wait for
        for_outputs(total, [](float& v) { v = v < 0 ? -v : v; });
      }
      if (whole && output >= 0 && output + rows <= outputs) {
        std::byte* row = to;
#pragma unroll
        for (int y = 0; y < rows; ++y, row += dst.stride)
          *reinterpret_cast<float2*>(row) = make_float2(total[y][0], total[y][1]);
      } else {
        std::byte* row = to;
#pragma unroll
        for (int y = 0; y < rows; ++y, row += dst.stride) {
          if (output + y < 0 || output + y >= outputs) continue;
#pragma unroll
          for (int x = 0; x < columns; ++x)
            if (x < columns_left)
              reinterpret_cast<float*>(row)[static_cast<std::ptrdiff_t>(x) * dst.step] =
                  total[y][x];
        }
      }
    }
    std::swap(sums, above);
  }
}

template <int size, bool own>
class SeparableF32 final : public Convolver {
 public:
  explicit SeparableF32(const Plan& plan) : work_(separable_work<OrderedFloat, size>(plan)) {
    allow_shared_memory("cuda-separable-f32", kernel, shared_bytes);
    multiprocessors_ = multiprocessors();
    at_once_ = std::max(1, blocks_at_once(kernel, threads, shared_bytes) / multiprocessors_);
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    StripCost cost = sm90::separable_f32_strips;
    cost.at_once = at_once_;
    work_.slabs = best_slabs(pairs, tile_width, slab_rows, size - 1, multiprocessors_, cost);
    const int tile_height = work_.slabs * slab_rows - (size - 1);
    for_each_batch(pairs, tile_width, tile_height, [&](const Batch& batch, int blocks) {
      work_.batch = batch;
      launch("cuda-separable-f32", kernel, blocks, dim3(threads), shared_bytes, stream, work_);
    });
  }

 private:
  static constexpr auto kernel = separable_f32_kernel<size, own>;
  static constexpr int shared_bytes = Layout<size>::bytes;
  SeparableF32Work<size> work_;
  int multiprocessors_, at_once_;  // blocks on a multiprocessor
};

template <int size>
std::unique_ptr<Convolver> make_sized(const Plan& plan) {
  if constexpr (size < largest)
    if (plan.terms[0].width > size) return make_sized<size + 2>(plan);
  auto bulk = separable_bulk<float, OrderedFloat, size>("cuda-separable-f32", plan);
  if constexpr (takes_own_tap<OrderedFloat, size>)
    if (own_tap(plan)) return bulk_or_other(bulk, std::make_unique<SeparableF32<size, true>>(plan));
  return bulk_or_other(bulk, std::make_unique<SeparableF32<size, false>>(plan));
}

}  // namespace
}  // namespace separable_f32_kernels

// The taps must fill the square: otherwise added zeros could be seen, because a sample may be
// infinite.
bool supports_separable_f32(const Plan& plan) {
  if (plan.sample.storage != Storage::f32 || !supports_separable(plan) || !is_passes(plan) ||
      plan.finish.combine != Combine::linear)
    return false;
  const Taps& t = plan.terms[0];
  return t.width == t.height && t.width % 2 == 1 && t.width >= 3 &&
         t.width <= separable_f32_kernels::largest && t.anchor_x == t.width / 2 &&
         t.anchor_y == t.height / 2;
}

std::unique_ptr<Convolver> make_separable_f32(const Plan& plan, int) {
  return separable_f32_kernels::make_sized<3>(plan);
}

}  // namespace vidconv::cuda
