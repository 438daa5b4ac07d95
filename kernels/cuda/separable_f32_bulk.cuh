// cuda-separable-f32 where bulk copies can bring the rows (sm_90).
//
// A block walks down. One warp sends for slabs of rows, as far ahead as the ring has room; each of
// the others works on columns of its own and waits for nobody but the slab. A thread makes the row
// sums of adjacent samples and adds each at once to the `size` outputs it belongs to, which it
// keeps in registers: row by row they move up by one, and the uppermost is complete. So the terms
// of a sum come from top to bottom, as docs/numerics.md wants them.
#pragma once

#include "kernels/cuda/arith.cuh"
#include "kernels/cuda/bulk.cuh"
#include "kernels/cuda/device.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/separable_f32.cuh"
#include "kernels/cuda/stream.cuh"

namespace vidconv::cuda {

template <int size>
struct BulkShape {
  // A power of two: what lanes do with a margin, they do in whole rows.
  static constexpr int half = size / 2, margin = half <= 4 ? 4 : half <= 8 ? 8 : 16;
  static constexpr BulkRing tuned =
      size <= 17 ? sm90::separable_f32_bulk : sm90::separable_f32_bulk_long;
  static constexpr int workers = tuned.workers;
  static constexpr int threads = 32 * (workers + 1);
  static constexpr int columns = tuned.columns;
  static constexpr int warp_width = 32 * columns, tile_width = workers * warp_width;
  static constexpr int pitch = tile_width + 2 * margin;
  static constexpr int slab_rows = tuned.slab_rows, depth = tuned.depth;
  static constexpr int rows = tuned.rows;
  static constexpr int slab = slab_rows * pitch;  // samples
  static constexpr unsigned sample = sizeof(float), slab_bytes = slab * sample;
  // The ring, and behind it the barriers: for each slab of the ring one that reports that it is
  // there, then for each one that reports that nobody needs it any more.
  static constexpr unsigned barriers = depth * slab_bytes;
  static constexpr int bytes = static_cast<int>(barriers + 2 * depth * Barrier::bytes);
  static_assert(half <= margin && slab_rows * margin % 32 == 0 && slab_rows % rows == 0 &&
                size % 2 == 1 && columns == 2);
};

// The next slab of the ring and which phase of its barriers is meant.
template <class Shape>
class RingPlace {
 public:
  __device__ RingPlace(SharedAddress ring, unsigned parity)
      : ring_(ring), slab_(ring), arrived_(ring + Shape::barriers), parity_(parity) {}
  __device__ SharedAddress slab() const { return slab_; }
  __device__ Barrier arrived() const { return Barrier(arrived_); }
  __device__ Barrier done() const { return Barrier(arrived_ + Shape::depth * Barrier::bytes); }
  __device__ unsigned parity() const { return parity_; }
  __device__ void advance() {
    slab_ += Shape::slab_bytes;
    arrived_ += Barrier::bytes;
    if (!(slab_ == ring_ + Shape::barriers)) return;
    slab_ = ring_;
    arrived_ = ring_ + Shape::barriers;
    parity_ ^= 1;
  }

 private:
  SharedAddress ring_, slab_, arrived_;
  unsigned parity_;
};

// The rows [y, y + slab_rows) of `src`, of which some lie outside.
template <int size>
__device__ void send_slab_at_edge(SharedAddress slab, const Barrier& arrived, bool elected,
                                  const Plane<const float>& src, const Sampling& sampling, int x,
                                  int first, int last, int y) {
  using S = BulkShape<size>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const unsigned bytes = static_cast<unsigned>(last - first) * S::sample;
  const SharedAddress to = slab + static_cast<unsigned>(first) * S::sample;
  // One row's for each lane, -1 for what is not copied.
  const int mine = lane < S::slab_rows ? border_index(sampling.border, y + lane, src.height) : -1;
  const unsigned copied = __ballot_sync(whole_warp, mine >= 0);
  if (sampling.border == BorderMode::constant) {
#pragma unroll 1
    for (int r = 0; r < S::slab_rows; ++r) {
      if (copied >> r & 1) continue;
      const SharedAddress row = to + static_cast<unsigned>(r * S::pitch) * S::sample;
      for (unsigned i = static_cast<unsigned>(lane) * S::sample; i < bytes; i += 32 * S::sample)
        (row + i).store(sampling.outside);
    }
    order_writes_before_bulk_copies();
  }
  if (elected)
    arrived.arrive_expecting(static_cast<unsigned>(__popc(copied)) * bytes);
  else
    arrived.arrive();
#pragma unroll 1
  for (int r = 0; r < S::slab_rows; ++r) {
    const int v = __shfl_sync(whole_warp, mine, r);
    if (elected && v >= 0)
      copy_bulk(to + static_cast<unsigned>(r * S::pitch) * S::sample, src.row(v) + x + first, bytes,
                arrived, pass_through_l2());
  }
}

// A warp sends for the slabs of a tile.
template <int size>
__device__ void send_slabs(SharedAddress ring, const Tile& tile, int slabs,
                           const Sampling& sampling) {
  using S = BulkShape<size>;
  const Plane<const float> src = tile.pair.src.as<const float>();
  // The columns of a slab that lie in the plane: whole vectors of 16 bytes.
  const int x = tile.x - S::margin;
  const int first = max(-x, 0), last = min(S::pitch, src.width - x);
  const unsigned bytes = static_cast<unsigned>(last - first) * S::sample;
  // The tile above reads the first rows too, at its end.
  constexpr int read_again = (size - 1 + S::slab_rows - 1) / S::slab_rows;  // slabs
  const std::uint64_t keep = keep_in_l2(), pass = pass_through_l2();
  const bool elected = elect_one();
  int y = tile.y - S::half;
  RingPlace<S> place(ring, 1);
#pragma unroll 1
  for (int slab = 0; slab < slabs; ++slab, y += S::slab_rows, place.advance()) {
    place.done().wait(place.parity());
    const std::uint64_t policy = slab < read_again ? keep : pass;
    if (y < 0 || y + S::slab_rows > src.height) {
      send_slab_at_edge<size>(place.slab(), place.arrived(), elected, src, sampling, x, first, last,
                              y);
    } else if (elected) {
      place.arrived().arrive_expecting(S::slab_rows * bytes);
      SharedAddress to = place.slab() + static_cast<unsigned>(first) * S::sample;
      auto* from = reinterpret_cast<const std::byte*>(src.row(y) + x + first);
#pragma unroll
      for (int r = 0; r < S::slab_rows; ++r) {
        copy_bulk(to, from, bytes, place.arrived(), policy);
        to += S::pitch * S::sample;
        from += src.stride;
      }
    } else {
      place.arrived().arrive();
    }
    __syncwarp();
  }
}

// What a lane writes of the margin on one side of the plane, in every slab: a sample in each of
// some rows.
template <int size>
class Margin {
  using S = BulkShape<size>;

 public:
  // Of the margin that begins with column `outer` of the plane; slabs begin with column x0.
  __device__ void place(int outer, int x0, int width, const Sampling& sampling) {
    outside_ = sampling.outside;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int row = lane / S::margin * S::pitch - x0, column = outer + lane % S::margin;
    const int u = border_index(sampling.border, column, width);
    constant_ = u < 0;
    to_ = static_cast<unsigned>(row + column) * S::sample;
    from_ = constant_ ? to_ : static_cast<unsigned>(row + u) * S::sample;
  }
  __device__ void fill(SharedAddress slab) const {
#pragma unroll
    for (int r = 0; r < S::slab_rows; r += 32 / S::margin) {
      const SharedAddress rows = slab + static_cast<unsigned>(r * S::pitch) * S::sample;
      (rows + to_).store(constant_ ? outside_ : (rows + from_).load());
    }
  }

 private:
  unsigned to_, from_;  // bytes from where a slab begins
  bool constant_;
  float outside_;
};

// What a thread makes of some rows of a slab: loaded, summed along the rows, added to the columns,
// stored.
template <int size, bool absolute>
struct RowGroup {
  using S = BulkShape<size>;
  // A thread's outputs need the samples [reach, window) from where its columns of the slab begin.
  static constexpr int reach = S::margin - S::half, window = S::columns + S::margin + S::half;
  static constexpr int first = reach / S::columns * S::columns;
  static constexpr int last = (window + S::columns - 1) / S::columns * S::columns;

  float samples[S::rows][last], sum[S::rows][S::columns] = {}, complete[S::rows][S::columns];

  __device__ void load(SharedAddress from) {
#pragma unroll
    for (int r = 0; r < S::rows; ++r) {
#pragma unroll
      for (int i = first; i < last; i += S::columns) {
        const float2 v = (from + static_cast<unsigned>(r * S::pitch + i) * S::sample).load_pair();
        samples[r][i] = v.x, samples[r][i + 1] = v.y;
      }
    }
  }

  __device__ void sum_rows(const float (&taps)[size]) {
#pragma unroll
    for (int r = 0; r < S::rows; ++r) {
#pragma unroll
      for (int i = 0; i < size; ++i)
#pragma unroll
        for (int c = 0; c < S::columns; ++c)
          sum[r][c] = multiply_add(taps[i], samples[r][reach + i + c], sum[r][c]);
    }
  }

  // total[i] lacks i of its terms; total[0] is not kept.
  __device__ void add_columns(float (&total)[size][S::columns], const float (&taps)[size],
                              float offset) {
#pragma unroll
    for (int r = 0; r < S::rows; ++r) {
#pragma unroll
      for (int c = 0; c < S::columns; ++c)
        complete[r][c] = multiply_add(taps[size - 1], sum[r][c], total[1][c]) + offset;
#pragma unroll
      for (int i = 1; i < size; ++i)
#pragma unroll
        for (int c = 0; c < S::columns; ++c)
          total[i][c] =
              multiply_add(taps[size - 1 - i], sum[r][c], i + 1 < size ? total[i + 1][c] : 0.0f);
    }
    if constexpr (absolute) {
#pragma unroll
      for (auto& row : complete)
        for (float& v : row) v = v < 0 ? -v : v;
    }
  }

  // As outputs `output` and on of which there are `limit`, at `to` and below, which move on.
  __device__ void store(std::byte*& to, std::ptrdiff_t stride, int& output, unsigned limit) const {
#pragma unroll
    for (int r = 0; r < S::rows; ++r, ++output, to += stride)
      if (static_cast<unsigned>(output) < limit)
        *reinterpret_cast<float2*>(to) = make_float2(complete[r][0], complete[r][1]);
  }
};

template <int size, bool absolute>
__device__ void work_on_slabs(SharedAddress ring, const Tile& tile, int outputs, int slabs,
                              const SeparableF32Work<size>& work) {
  using S = BulkShape<size>;
  const Plane<float> dst = tile.pair.dst.as<float>();
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp_x = static_cast<int>(threadIdx.x) / 32 * S::warp_width;
  const int x = tile.x + warp_x + lane * S::columns;
  const auto limit = static_cast<unsigned>(x < dst.width ? outputs : 0);
  const int x0 = tile.x - S::margin;
  const bool left = tile.x + warp_x == 0, right = tile.x + warp_x + S::warp_width >= dst.width;
  Margin<size> left_margin, right_margin;
  if (left) left_margin.place(-S::margin, x0, dst.width, work.sampling);
  if (right) right_margin.place(dst.width, x0, dst.width, work.sampling);

  float row_taps[size], column_taps[size];
#pragma unroll
  for (int i = 0; i < size; ++i) row_taps[i] = work.row[i], column_taps[i] = work.column[i];
  float total[size][S::columns] = {};
  int output = 1 - size;  // the one that the next row completes
  auto* to = reinterpret_cast<std::byte*>(dst.row(tile.y + output) + x);
  __builtin_assume(__isGlobal(to));  // so that stores are those of global memory
  const unsigned column = static_cast<unsigned>(warp_x + lane * S::columns) * S::sample;
  RingPlace<S> place(ring, 0);
#pragma unroll 1
  for (; slabs > 0; --slabs) {
    place.arrived().wait(place.parity());
    if (left || right) {
      if (left) left_margin.fill(place.slab());
      if (right) right_margin.fill(place.slab());
      __syncwarp();
    }
    SharedAddress from = place.slab() + column;
#pragma unroll 1
    for (int at = 0; at < S::slab_rows; at += S::rows, from += S::rows * S::pitch * S::sample) {
      RowGroup<size, absolute> rows;
      rows.load(from);
      rows.sum_rows(row_taps);
      rows.add_columns(total, column_taps, work.offset);
      rows.store(to, dst.stride, output, limit);
    }
    place.done().arrive();
    place.advance();
  }
}

template <int size, bool absolute>
__global__ void __launch_bounds__(BulkShape<size>::threads, 2)
    separable_f32_bulk_kernel(const __grid_constant__ SeparableF32Work<size> work) {
#if __CUDA_ARCH__ >= 900
  using S = BulkShape<size>;
  extern __shared__ float4 shared[];
  const SharedAddress ring(shared);
  // The first size - 1 rows of sums complete no outputs.
  const int tile_height = work.slabs * S::slab_rows - (size - 1);
  const Tile tile = this_tile(work.batch, S::tile_width, tile_height);
  const int outputs = min(tile_height, tile.pair.dst.height - tile.y);
  const int slabs = (outputs + size - 1 + S::slab_rows - 1) / S::slab_rows;
  const int busy =
      min(S::workers, (tile.pair.dst.width - tile.x + S::warp_width - 1) / S::warp_width);
  if (threadIdx.x == 0) {
    RingPlace<S> place(ring, 0);
    for (int i = 0; i < S::depth; ++i, place.advance()) {
      place.arrived().make(32);
      place.done().make(32 * busy);
    }
    publish_barriers();
  }
  __syncthreads();
  wait_for_earlier_kernels();
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (warp == S::workers) {
    send_slabs<size>(ring, tile, slabs, work.sampling);
  } else if (warp < busy) {
    work_on_slabs<size, absolute>(ring, tile, outputs, slabs, work);
  }
#else
  __trap();  // is_sm90() says no, or the code for this device is missing
#endif
}

// Runs the kernel for pairs that it can take.
template <int size>
class SeparableF32Bulk {
  using Shape = BulkShape<size>;

 public:
  explicit SeparableF32Bulk(const Plan& plan)
      : kernel_(plan.finish.absolute ? separable_f32_bulk_kernel<size, true>
                                     : separable_f32_bulk_kernel<size, false>),
        work_(separable_f32_work<size>(plan)),
        usable_(is_sm90(current_device()) && is_sm90_code(kernel_) &&
                plan.border != BorderMode::wrap) {
    if (!usable_) return;
    check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::bytes),
          "shared memory for cuda-separable-f32");
    multiprocessors_ = multiprocessors();
  }

  // Rows are whole vectors of 16 bytes; and where a plane ends 4 columns into a warp's, the warp
  // to the left would need the margin as well.
  bool takes(const PlanePair& pair) const {
    const int width = pair.src.width;
    return usable_ && is_aligned(pair.src, 16) &&
           is_aligned(pair.dst, Shape::columns * sizeof(float)) && width % 4 == 0 &&
           width % Shape::warp_width != 4;
  }

  void run(std::span<const PlanePair> pairs, cudaStream_t stream) {
    work_.slabs = best_slabs(pairs, Shape::tile_width, Shape::slab_rows, size - 1, multiprocessors_,
                             sm90::separable_f32_bulk_strips);
    for_each_batch(pairs, Shape::tile_width, work_.slabs * Shape::slab_rows - (size - 1),
                   [&](const Batch& batch, int blocks) {
                     work_.batch = batch;
                     launch("cuda-separable-f32", kernel_, blocks, dim3(Shape::threads),
                            Shape::bytes, stream, work_);
                   });
  }

 private:
  void (*const kernel_)(SeparableF32Work<size>);
  SeparableF32Work<size> work_;
  bool usable_;
  int multiprocessors_ = 0;
};

}  // namespace vidconv::cuda
