// cuda-separable-long: two passes of many taps, in two kernels. The row sums wait in device memory,
// so that each is made once: a fused kernel keeps them nearer, but loses that gain by making those
// above and below its tile again, as many as there are taps.
//
// Passes that are longer than a matrix may be are `cut`: rows of taps and samples come to shared
// memory part by part, and taps of columns are read from device memory. The order of the sums is
// the same.
#include <algorithm>
#include <vector>

#include "kernels/cuda/common/arith.cuh"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device_array.h"
#include "kernels/cuda/common/output.cuh"
#include "kernels/cuda/common/scratch.h"
#include "kernels/cuda/common/shared_memory.h"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace {

constexpr int lanes = 32, warps = 8;        // lanes and warps of a block
constexpr int vector = 4;                   // values that are read together
constexpr int step = 8;                     // taps that are worked on at once
constexpr int across = 8;                   // adjacent sums of a thread in the row pass
constexpr int columns = vector, strip = 8;  // columns and rows of outputs in the column pass
constexpr int row_tile = lanes * across, column_tile = lanes * columns, tile_height = warps * strip;
constexpr int least_taps = 31;          // fewer were not compared
constexpr int most_shared = 64 * 1024;  // bytes that every device gives a block
template <class Value>
constexpr int taps_of_part = sizeof(Value) == 8 ? 512
                                                : 1024;  // taps in a part of a row that is cut

// Returns the number of a pass's taps as kernels need them: with zeros up to whole steps, and one
// step more.
constexpr int padded(int taps) { return round_up(taps, step) + step; }

// Returns the bytes of shared memory of the row pass: its taps, and a row of samples for each warp.
constexpr int row_bytes(int taps, int value_bytes) {
  return (padded(taps) + warps * (row_tile + padded(taps))) * value_bytes;
}

template <class Value>
struct Pass {
  const Value* taps;  // padded() of them, in device memory
  int size, anchor;
};

template <class T, class Value>
struct Work {
  Plane<const T> src;
  Plane<T> dst;
  Sampling sampling;
  Finish finish;
  Pass<Value> row, column;
  int row_shift;
  Value* sums;  // sums of each row of the plane, and of one outside it
  int pitch;    // values from one row of sums to the next
};

template <class Value>
__device__ inline void load_vector(Value* to, const Value* from) {
  if constexpr (sizeof(Value) == 4) {
    const auto v = *reinterpret_cast<const int4*>(from);
    const int bits[] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int i = 0; i < vector; ++i) {
      if constexpr (std::is_same_v<Value, float>)
        to[i] = __int_as_float(bits[i]);
      else
        to[i] = bits[i];
    }
  } else {
#pragma unroll
    for (int i = 0; i < vector; i += 2) {
      const auto v = *reinterpret_cast<const double2*>(from + i);
      to[i] = v.x, to[i + 1] = v.y;
    }
  }
}
template <class Value>
__device__ inline void store_vector(Value* to, const Value* from) {
#pragma unroll
  for (int i = 0; i < vector; i += 16 / static_cast<int>(sizeof(Value))) {
    if constexpr (std::is_same_v<Value, float>)
      *reinterpret_cast<float4*>(to) = make_float4(from[0], from[1], from[2], from[3]);
    else if constexpr (sizeof(Value) == 4)
      *reinterpret_cast<int4*>(to) = make_int4(from[0], from[1], from[2], from[3]);
    else
      *reinterpret_cast<double2*>(to + i) = make_double2(from[i], from[i + 1]);
  }
}

// Returns the place of vector `i` of a row of samples in shared memory: eight lanes that read every
// second one hit all banks once.
__device__ inline int place_of_vector(int i) { return i ^ (i >> 3 & 1); }

// Brings samples of row y to shared memory, from x on.
template <class T, class Value>
__device__ inline void load_samples(const Work<T, Value>& work, int x, int y, int count,
                                    Value* samples) {
  if (y > work.src.height) return;
  const bool inside = y < work.src.height && x >= 0 && x + count <= work.src.width;
  const T* const row = work.src.row(min(y, work.src.height - 1));
  for (int i = static_cast<int>(threadIdx.x); i < count; i += lanes) {
    T code;
    if (inside) {
      code = __ldg(row + static_cast<std::ptrdiff_t>(x + i) * work.src.step);
      if constexpr (!std::is_same_v<T, float>) code = static_cast<T>(code >> work.sampling.shift);
    } else if (y < work.src.height) {
      code = read_code(work.src, x + i, y, work.sampling);
    } else {
      code = static_cast<T>(work.sampling.outside);
    }
    samples[place_of_vector(i / vector) * vector + i % vector] = static_cast<Value>(code);
  }
}

// Adds the products of so many taps to the sums of adjacent outputs.
template <class Value>
__device__ inline void add_taps(Value (&sum)[across], const Value* taps, int count,
                                const Value* samples) {
  const int lane = static_cast<int>(threadIdx.x);
  Value window[across + step];
  const auto load = [&](int to, int i) {
#pragma unroll
    for (int v = 0; v < step; v += vector)
      load_vector(window + to + v, samples + place_of_vector((i + v) / vector) * vector);
  };
  load(0, lane * across);
#pragma unroll 1
  for (int c = 0; c < count; c += step) {
    load(across, lane * across + c + step);
    Value tap[step];
#pragma unroll
    for (int v = 0; v < step; v += vector) load_vector(tap + v, taps + c + v);
    const bool all = c + step <= count;
#pragma unroll
    for (int k = 0; k < step; ++k) {
      if (!all && c + k >= count) break;
#pragma unroll
      for (int i = 0; i < across; ++i) sum[i] = multiply_add(tap[k], window[k + i], sum[i]);
    }
#pragma unroll
    for (int i = 0; i < step; ++i) window[i] = window[across + i];
  }
}

// Sums rows of samples, one in each warp, for its tile of columns.
template <class T, class Arith, bool cut>
__global__ void __launch_bounds__(lanes* warps)
    row_kernel(const __grid_constant__ Work<T, typename Arith::Value> work) {
  using Value = typename Arith::Value;
  extern __shared__ int4 shared[];
  const int part = cut ? taps_of_part<Value> : work.row.size;
  const int taps_count = padded(part);
  const int pitch = row_tile + taps_count;
  auto* const taps = reinterpret_cast<Value*>(shared);
  const int lane = static_cast<int>(threadIdx.x);
  Value* const samples = taps + taps_count + static_cast<int>(threadIdx.y) * pitch;
  const int x0 = static_cast<int>(blockIdx.x) * row_tile;
  const int y = static_cast<int>(blockIdx.y) * warps + static_cast<int>(threadIdx.y);

  Value sum[across] = {};
  for (int from = 0;;) {
    const int count = cut ? min(part, work.row.size - from) : part;
    for (int i = thread_index(); i < padded(count); i += lanes * warps)
      taps[i] = work.row.taps[from + i];
    load_samples(work, x0 - work.row.anchor + from, y, row_tile + padded(count), samples);
    __syncthreads();
    if (y <= work.src.height) add_taps(sum, taps, count, samples);
    if constexpr (!cut) break;
    from += part;
    if (from >= work.row.size) break;
    __syncthreads();
  }
  if (y > work.src.height) return;
  if constexpr (std::is_same_v<Arith, Integer>)
#pragma unroll
    for (int i = 0; i < across; ++i)
      sum[i] = (sum[i] + (1 << work.row_shift >> 1)) >> work.row_shift;
  const int x = x0 + lane * across;
  Value* const to = work.sums + static_cast<std::ptrdiff_t>(y) * work.pitch + x;
#pragma unroll
  for (int i = 0; i < across; i += vector)
    if (x + i < work.pitch) store_vector(to + i, sum + i);
}

// Adds rows [j, j + step) of those that the strip sees, counted from the first that its uppermost
// output sees. tap[step + i] is the tap of row j + i.
template <bool all, class Value, class RowAt>
__device__ inline void add_rows(Value (&total)[strip][columns], const Value (&tap)[2 * step], int j,
                                int size, RowAt row_at) {
  static_assert(strip <= step);
  Value row[step][columns];
#pragma unroll
  for (int s = 0; s < step; ++s)
    if (all || j + s < size + strip - 1) load_vector(row[s], row_at(j + s));
#pragma unroll
  for (int s = 0; s < step; ++s)
#pragma unroll
    for (int y = 0; y < strip; ++y) {
      if (!all && (j + s < y || j + s - y >= size)) continue;
#pragma unroll
      for (int x = 0; x < columns; ++x)
        total[y][x] = multiply_add(tap[step + s - y], row[s][x], total[y][x]);
    }
}

template <class T, class Arith, bool cut>
__global__ void __launch_bounds__(lanes* warps)
    column_kernel(const __grid_constant__ Work<T, typename Arith::Value> work) {
  using Value = typename Arith::Value;
  extern __shared__ int4 shared[];
  const Value* taps = work.column.taps;
  if constexpr (!cut) {
    auto* const here = reinterpret_cast<Value*>(shared);
    for (int i = thread_index(); i < padded(work.column.size); i += lanes * warps)
      here[i] = work.column.taps[i];
    __syncthreads();
    taps = here;
  }

  const int x0 =
      static_cast<int>(blockIdx.x) * column_tile + static_cast<int>(threadIdx.x) * columns;
  const int y0 = static_cast<int>(blockIdx.y) * tile_height + static_cast<int>(threadIdx.y) * strip;
  const int height = work.dst.height, size = work.column.size;
  if (x0 >= work.dst.width || y0 >= height) return;
  const int first = y0 - work.column.anchor;
  const bool inside = first >= 0 && first + size + strip - 1 <= height;
  const Value* const column = work.sums + x0;
  const auto row_at = [&](int j) {
    int v = first + j;
    if (!inside) {
      v = border_index(work.sampling.border, v, height);
      if (v < 0) v = height;
    }
    return column + static_cast<std::ptrdiff_t>(v) * work.pitch;
  };
  Value total[strip][columns] = {};
  Value tap[2 * step] = {};
#pragma unroll 1
  for (int j = 0; j < size + strip - 1; j += step) {
#pragma unroll
    for (int v = 0; v < step; v += vector) load_vector(tap + step + v, taps + j + v);
    if (j >= step && j + step <= size)
      add_rows<true>(total, tap, j, size, row_at);
    else
      add_rows<false>(total, tap, j, size, row_at);
#pragma unroll
    for (int i = 0; i < step; ++i) tap[i] = tap[step + i];
  }
  store_outputs<columns, strip>(work.dst, x0, y0, work.sampling, work.finish,
                                [&](const Finish& f, int x, int y) {
                                  const auto response = to_response<Arith>(total[y][x]);
                                  return finish<T>(f, &response, 1);
                                });
}

bool is_cut(const Taps& taps) { return std::max(taps.width, taps.height) > Kernel::max_size; }

template <class T, class Arith, bool cut>
class SeparableLong final : public Convolver {
  using Value = typename Arith::Value;

 public:
  explicit SeparableLong(const Plan& plan)
      : row_taps_(laid_out(plan.terms[0].row)), column_taps_(laid_out(plan.terms[0].column)) {
    const Taps& taps = plan.terms[0];
    work_.sampling = sampling_of(plan);
    work_.finish = plan.finish;
    work_.row = {row_taps_.data(), taps.width, taps.anchor_x};
    work_.column = {column_taps_.data(), taps.height, taps.anchor_y};
    work_.row_shift = taps.row_shift;
    row_bytes_ = row_bytes(cut ? taps_of_part<Value> : taps.width, value_bytes);
    column_bytes_ = cut ? 0 : padded(taps.height) * value_bytes;
    allow_shared_memory("cuda-separable-long", row_kernel<T, Arith, cut>, row_bytes_);
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    std::size_t most = 0;
    for (const PlanePair& pair : pairs) most = std::max(most, sums_of(pair));
    if (most == 0) return;
    const Scratch::Use use = scratch_.use(most * sizeof(Value), stream);
    work_.sums = reinterpret_cast<Value*>(use.data());
    for (const PlanePair& pair : pairs) {
      if (sums_of(pair) == 0) continue;
      work_.src = pair.src.as<const T>();
      work_.dst = pair.dst.as<T>();
      const int width = pair.dst.width, height = pair.dst.height;
      work_.pitch = round_up(width, vector);
      const dim3 block(lanes, warps);
      row_kernel<T, Arith, cut>
          <<<tiles(width, row_tile, height + 1, warps), block, row_bytes_, stream>>>(work_);
      check_launch("cuda-separable-long, rows");
      column_kernel<T, Arith, cut>
          <<<tiles(width, column_tile, height, tile_height), block, column_bytes_, stream>>>(work_);
      check_launch("cuda-separable-long, columns");
    }
  }

 private:
  static constexpr int value_bytes = static_cast<int>(sizeof(Value));

  static std::size_t sums_of(const PlanePair& pair) {
    if (pair.dst.width < 1 || pair.dst.height < 1) return 0;
    return static_cast<std::size_t>(round_up(pair.dst.width, vector)) *
           (static_cast<std::size_t>(pair.dst.height) + 1);
  }
  static dim3 tiles(int width, int tile_width, int height, int rows) {
    return {static_cast<unsigned>((width + tile_width - 1) / tile_width),
            static_cast<unsigned>((height + rows - 1) / rows)};
  }
  static DeviceArray<Value> laid_out(const std::vector<double>& taps) {
    std::vector<Value> to(taps.begin(), taps.end());
    to.resize(static_cast<std::size_t>(padded(static_cast<int>(taps.size()))));
    return DeviceArray<Value>(std::span<const Value>(to));
  }

  DeviceArray<Value> row_taps_, column_taps_;
  Scratch scratch_;
  Work<T, Value> work_{};
  int row_bytes_, column_bytes_;
};

}  // namespace

bool supports_separable_long(const Plan& plan) {
  if (plan.terms.size() != 1) return false;
  const Taps& t = plan.terms[0];
  if (is_cut(t)) return t.separable() && !t.pairwise && plan.arith != Arith::int32;
  if (!supports_separable(plan)) return false;
  const int value_bytes = plan.arith == Arith::float64 ? 8 : 4;
  return std::max(t.width, t.height) >= least_taps && padded(t.height) * value_bytes <= 48 * 1024 &&
         row_bytes(t.width, value_bytes) <= most_shared;
}

std::unique_ptr<Convolver> make_separable_long(const Plan& plan, int) {
  return with_types(plan, [&]<class T, class Arith>() -> std::unique_ptr<Convolver> {
    if constexpr (!std::is_same_v<Arith, Integer> && !std::is_same_v<Arith, ExactFloat>)
      if (is_cut(plan.terms[0])) return std::make_unique<SeparableLong<T, Arith, true>>(plan);
    return std::make_unique<SeparableLong<T, Arith, false>>(plan);
  });
}

}  // namespace vidconv::cuda
