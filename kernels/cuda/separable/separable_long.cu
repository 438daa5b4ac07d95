// cuda-separable-long: two passes of many taps, in two kernels. The row sums wait in device memory,
// so that each is made once: a fused kernel keeps them nearer, but loses that gain by making those
// above and below its tile again, as many as there are taps. Shared memory has a part of the taps
// at a time.
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
namespace separable_long_kernels {
namespace {

constexpr int lanes = 32, warps = 8;        // lanes and warps of a block
constexpr int vector = 4;                   // values that are read together
constexpr int step = 8;                     // taps that are worked on at once
constexpr int across = 8;                   // adjacent sums of a thread in the row pass
constexpr int columns = vector, strip = 8;  // columns and rows of outputs in the column pass
constexpr int row_tile = lanes * across, column_tile = lanes * columns, tile_height = warps * strip;
constexpr int least_taps = 31;  // fewer were not compared
constexpr int part = 520;       // taps of a pass that shared memory has at once
static_assert(part % step == 0 && part > Kernel::max_size);

// Returns the number of a pass's taps as kernels need them: with zeros up to whole steps, and one
// step more.
constexpr int padded(int taps) { return round_up(taps, step) + step; }

// Returns the number of values that shared memory has of a pass's taps.
constexpr int held(int taps) { return padded(taps < part ? taps : part); }

// Returns the bytes of shared memory of the row pass: its taps, and a row of samples for each warp.
constexpr int row_bytes(int taps, int value_bytes) {
  return (held(taps) + warps * (row_tile + held(taps))) * value_bytes;
}
static_assert(row_bytes(Kernel::max_pass, sizeof(double)) <= 64 * 1024);  // every device has them

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

// Sums rows of samples, one in each warp, for its tile of columns.
template <class T, class Arith>
__global__ void __launch_bounds__(lanes* warps)
    row_kernel(const __grid_constant__ Work<T, typename Arith::Value> work) {
  using Value = typename Arith::Value;
  extern __shared__ int4 shared[];
  const int taps_count = held(work.row.size);
  const int pitch = row_tile + taps_count;
  auto* const taps = reinterpret_cast<Value*>(shared);
  const int lane = static_cast<int>(threadIdx.x);
  Value* const samples = taps + taps_count + static_cast<int>(threadIdx.y) * pitch;
  const int x0 = static_cast<int>(blockIdx.x) * row_tile;
  const int y = static_cast<int>(blockIdx.y) * warps + static_cast<int>(threadIdx.y);

  Value sum[across] = {};
  Value window[across + step];
  const auto load = [&](int to, int i) {
#pragma unroll
    for (int v = 0; v < step; v += vector)
      load_vector(window + to + v, samples + place_of_vector((i + v) / vector) * vector);
  };
#pragma unroll 1
  for (int begin = 0; begin < work.row.size; begin += part) {
    const int size = min(work.row.size - begin, part);
    if (begin > 0) __syncthreads();  // the part before has been read
    for (int i = thread_index(); i < padded(size); i += lanes * warps)
      taps[i] = work.row.taps[begin + i];
    const int first = x0 - work.row.anchor + begin;
    if (y <= work.src.height) {
      const bool inside = y < work.src.height && first >= 0 && first + pitch <= work.src.width;
      const T* const row = work.src.row(min(y, work.src.height - 1));
      for (int i = lane; i < pitch; i += lanes) {
        T code;
        if (inside) {
          code = __ldg(row + static_cast<std::ptrdiff_t>(first + i) * work.src.step);
          if constexpr (!std::is_same_v<T, float>)
            code = static_cast<T>(code >> work.sampling.shift);
        } else if (y < work.src.height) {
          code = read_code(work.src, first + i, y, work.sampling);
        } else {
          code = static_cast<T>(work.sampling.outside);
        }
        samples[place_of_vector(i / vector) * vector + i % vector] = static_cast<Value>(code);
      }
    }
    __syncthreads();
    if (y > work.src.height) continue;

    load(0, lane * across);
#pragma unroll 1
    for (int c = 0; c < size; c += step) {
      load(across, lane * across + c + step);
      Value tap[step];
#pragma unroll
      for (int v = 0; v < step; v += vector) load_vector(tap + v, taps + c + v);
      const bool all = c + step <= size;
#pragma unroll
      for (int k = 0; k < step; ++k) {
        if (!all && c + k >= size) break;
#pragma unroll
        for (int i = 0; i < across; ++i) sum[i] = multiply_add(tap[k], window[k + i], sum[i]);
      }
#pragma unroll
      for (int i = 0; i < step; ++i) window[i] = window[across + i];
    }
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

template <class T, class Arith>
__global__ void __launch_bounds__(lanes* warps)
    column_kernel(const __grid_constant__ Work<T, typename Arith::Value> work) {
  using Value = typename Arith::Value;
  extern __shared__ int4 shared[];
  auto* const taps = reinterpret_cast<Value*>(shared);
  const int x0 =
      static_cast<int>(blockIdx.x) * column_tile + static_cast<int>(threadIdx.x) * columns;
  const int y0 = static_cast<int>(blockIdx.y) * tile_height + static_cast<int>(threadIdx.y) * strip;
  const int height = work.dst.height, size = work.column.size;
  const bool acts = x0 < work.dst.width && y0 < height;
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
  const int rows = size + strip - 1;
#pragma unroll 1
  for (int begin = 0; begin < rows; begin += part) {
    if (begin > 0) __syncthreads();  // the part before has been read
    for (int i = thread_index(); i < min(padded(size) - begin, part); i += lanes * warps)
      taps[i] = work.column.taps[begin + i];
    __syncthreads();
    const int end = acts ? min(rows, begin + part) : begin;
#pragma unroll 1
    for (int j = begin; j < end; j += step) {
#pragma unroll
      for (int v = 0; v < step; v += vector) load_vector(tap + step + v, taps + (j - begin) + v);
      if (j >= step && j + step <= size)
        add_rows<true>(total, tap, j, size, row_at);
      else
        add_rows<false>(total, tap, j, size, row_at);
#pragma unroll
      for (int i = 0; i < step; ++i) tap[i] = tap[step + i];
    }
  }
  if (!acts) return;
  if (work.finish.combine == Combine::linear) {
    store_outputs<columns, strip>(work.dst, x0, y0, work.sampling, work.finish,
                                  [&](int x, int y) { return to_response<Arith>(total[y][x]); });
    return;
  }
  Combined<typename Arith::Response> combined[strip][columns];
#pragma unroll
  for (int y = 0; y < strip; ++y)
#pragma unroll
    for (int x = 0; x < columns; ++x)
      combined[y][x].first(work.finish, to_response<Arith>(total[y][x]));
  store_combined(work.dst, x0, y0, work.sampling, work.finish, combined);
}

template <class T, class Arith>
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
    row_bytes_ = row_bytes(taps.width, value_bytes);
    column_bytes_ = std::min(padded(taps.height), part) * value_bytes;
    allow_shared_memory("cuda-separable-long", row_kernel<T, Arith>, row_bytes_);
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
      row_kernel<T, Arith>
          <<<tiles(width, row_tile, height + 1, warps), block, row_bytes_, stream>>>(work_);
      check_launch("cuda-separable-long, rows");
      column_kernel<T, Arith>
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
}  // namespace separable_long_kernels

bool supports_separable_long(const Plan& plan) {
  using namespace separable_long_kernels;
  const Taps& t = plan.terms[0];
  return plan.terms.size() == 1 && t.separable() && !t.pairwise &&
         std::max(t.width, t.height) >= least_taps;
}

std::unique_ptr<Convolver> make_separable_long(const Plan& plan, int) {
  using namespace separable_long_kernels;
  return with_types(plan, [&]<class T, class Arith>() -> std::unique_ptr<Convolver> {
    return std::make_unique<SeparableLong<T, Arith>>(plan);
  });
}

}  // namespace vidconv::cuda
