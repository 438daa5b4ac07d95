// A warp's view of the strips of bulk_rows.cuh: floats or integers of 32 bits, with the samples
// outside the plane. It first converts codes of 16 bits, each once, into shared memory of its own.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/cuda/common/bulk_rows.cuh"
#include "kernels/cuda/common/launch.cuh"

namespace vidconv::cuda {

// The samples of the margin on one side of the plane that a lane writes in every slab: one in each
// of some rows.
template <class S>
class Margin {
  using T = typename S::Sample;

 public:
  // Prepares the margin that begins with column `outer` of the plane; slabs begin with column x0.
  __device__ void place(int outer, int x0, int width, const PixelSampling& sampling) {
    outside_ = stored_outside<T>(sampling);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int row = lane / S::margin * S::pitch - x0, column = outer + lane % S::margin;
    const int u = border_index(sampling.border, column, width, sampling.components);
    constant_ = u < 0;
    to_ = static_cast<unsigned>(row + column) * S::sample;
    from_ = constant_ ? to_ : static_cast<unsigned>(row + u) * S::sample;
  }
  __device__ void fill(SharedAddress slab) const {
#pragma unroll
    for (int r = 0; r < S::slab_rows; r += 32 / S::margin) {
      const SharedAddress rows = slab + static_cast<unsigned>(r * S::pitch) * S::sample;
      T value;
      (rows + from_).load(value);
      (rows + to_).store(constant_ ? outside_ : value);
    }
  }

 private:
  unsigned to_, from_;  // bytes from a slab's beginning
  bool constant_;
  T outside_;
};

// Converts a warp's columns of a slab, with margins, from codes to values, in vectors of four.
template <class S>
class Conversion {
 public:
  // `column` is the slab's column at which the warp's left margin begins.
  __device__ explicit Conversion(int column) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    place(inner_from_, inner_to_, lane / inner, S::margin + lane % inner * n, column);
    const int i = lane % outer * n;
    place(outer_from_, outer_to_, lane / outer, i < S::margin ? i : i + S::warp_width, column);
  }
  __device__ void make(SharedAddress values, SharedAddress slab, int shift) const {
    uint2 codes[inner_steps + outer_steps];
#pragma unroll
    for (int i = 0; i < inner_steps; ++i)
      codes[i] = (slab + (i * inner_rows * S::pitch * S::sample + inner_from_)).load_words();
#pragma unroll
    for (int i = 0; i < outer_steps; ++i)
      codes[inner_steps + i] =
          (slab + (i * outer_rows * S::pitch * S::sample + outer_from_)).load_words();
#pragma unroll
    for (int i = 0; i < inner_steps; ++i)
      (values + (i * inner_rows * S::values_pitch * 4 + inner_to_))
          .store(converted(codes[i], shift));
#pragma unroll
    for (int i = 0; i < outer_steps; ++i)
      (values + (i * outer_rows * S::values_pitch * 4 + outer_to_))
          .store(converted(codes[inner_steps + i], shift));
  }

 private:
  using T = typename S::Sample;
  static constexpr int n = 4;
  // Vectors of the columns and of both margins; rows of them that lanes take at once.
  static constexpr int inner = S::warp_width / n, outer = 2 * S::margin / n;
  static constexpr int inner_rows = 32 / inner, outer_rows = 32 / outer;
  static constexpr int inner_steps = S::slab_rows / inner_rows;
  static constexpr int outer_steps = S::slab_rows / outer_rows;
  static_assert(sizeof(T) == 2 && inner_rows >= 1 && S::slab_rows % inner_rows == 0 &&
                S::slab_rows % outer_rows == 0);

  static __device__ void place(unsigned& from, unsigned& to, int row, int i, int column) {
    from = static_cast<unsigned>(row * S::pitch + column + i) * S::sample;
    to = static_cast<unsigned>(row * S::values_pitch + i) * 4;
  }
  static __device__ float4 converted(uint2 stored, int shift) {
    const unsigned a = shift_down<T>(stored.x, shift), b = shift_down<T>(stored.y, shift);
    return {value(a, 0), value(a, 1), value(b, 0), value(b, 1)};
  }
  // Returns a value's bits: shared memory has no types.
  static __device__ float value(unsigned word, int k) {
    const auto v = extract<typename S::Value, T>(word, k);
    if constexpr (std::is_same_v<typename S::Value, float>)
      return v;
    else
      return __int_as_float(v);
  }

  unsigned inner_from_, inner_to_, outer_from_, outer_to_;  // bytes
};
struct NoConversion {
  __device__ explicit NoConversion(int) {}
};

// Loads two adjacent values from shared memory.
template <class Value>
__device__ inline void load_values(Value* to, SharedAddress from) {
  const float2 v = from.load_pair();
  if constexpr (std::is_same_v<Value, float>)
    to[0] = v.x, to[1] = v.y;
  else
    to[0] = __float_as_int(v.x), to[1] = __float_as_int(v.y);
}

// The slabs of a tile as a warp sees them: rows of values, S::values_pitch apart.
template <class S>
class WarpRows {
 public:
  __device__ WarpRows(SharedAddress ring, const Tile& tile, int width,
                      const PixelSampling& sampling)
      : place_(ring, 0),
        warp_x_(warp() * S::warp_width),
        left_(tile.x + warp_x_ == 0),
        right_(tile.x + warp_x_ + S::warp_width >= width),
        conversion_(warp_x_),
        values_(ring + (S::values + static_cast<unsigned>(warp()) * S::values_bytes)),
        shift_(sampling.shift) {
    const int x0 = tile.x - S::margin;
    if (left_) left_margin_.place(-S::margin, x0, width, sampling);
    if (right_) right_margin_.place(width, x0, width, sampling);
  }

  // Waits for the next slab. Returns the address in its first row that lies S::margin columns
  // before the lane's first column.
  __device__ SharedAddress next() {
    place_.arrived().wait(place_.parity());
    if (left_ || right_) {
      if (left_) left_margin_.fill(place_.slab());
      if (right_) right_margin_.fill(place_.slab());
      __syncwarp();
    }
    const int column = static_cast<int>(threadIdx.x) % 32 * S::columns;
    if constexpr (S::converts) {
      __syncwarp();  // all lanes are done with the values of the slab before
      conversion_.make(values_, place_.slab(), shift_);
      release();
      __syncwarp();
      return values_ + static_cast<unsigned>(column) * 4;
    } else {
      return place_.slab() + static_cast<unsigned>(warp_x_ + column) * 4;
    }
  }
  // Releases the slab that next() returned.
  __device__ void done() {
    if constexpr (!S::converts) release();
  }

 private:
  static __device__ int warp() { return static_cast<int>(threadIdx.x) / 32; }
  __device__ void release() {
    place_.done().arrive();
    place_.advance();
  }

  RingPlace<S> place_;
  int warp_x_;
  bool left_, right_;
  Margin<S> left_margin_, right_margin_;
  [[no_unique_address]] std::conditional_t<S::converts, Conversion<S>, NoConversion> conversion_;
  SharedAddress values_;
  int shift_;
};

// Does all of a block's work. Each warp calls `work(rows, tile, outputs, slabs)` for the slabs of
// its tile, which are S::slab_rows high each and complete `outputs` rows; the first 2 * S::half
// rows complete none.
template <class S, class Work>
__device__ void walk_down(const Batch& batch, const PixelSampling& sampling, int most_slabs,
                          Work work) {
  extern __shared__ float4 shared[];
  const SharedAddress ring(shared);
  const int tile_height = most_slabs * S::slab_rows - 2 * S::half;
  const Tile tile = this_tile(batch, S::tile_width, tile_height);
  const int width = tile.pair.dst.width;
  const int outputs = min(tile_height, tile.pair.dst.height - tile.y);
  const int slabs = (outputs + 2 * S::half + S::slab_rows - 1) / S::slab_rows;
  const int busy = min(S::workers, (width - tile.x + S::warp_width - 1) / S::warp_width);
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
    send_slabs<S>(ring, tile, slabs, sampling);
  } else if (warp < busy) {
    WarpRows<S> rows(ring, tile, width, sampling);
    work(rows, tile, outputs, slabs);
  }
}

}  // namespace vidconv::cuda
