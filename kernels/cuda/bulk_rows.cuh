// Strips of planes that bulk copies bring, row by row (sm_90).
//
// A block walks down. One warp sends for slabs of rows, as far ahead as the ring has room; each of
// the others works on columns of its own and waits for nobody but the slab. It sees floats or
// integers of 32 bits: codes of 16 bits it converts first, each once, into shared memory of its
// own.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "kernels/convolver/convolver.h"
#include "kernels/cuda/batch.cuh"
#include "kernels/cuda/bulk.cuh"
#include "kernels/cuda/device.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/stream.cuh"
#include "kernels/cuda/tile.cuh"
#include "kernels/cuda/tuning.h"

namespace vidconv::cuda {

// Of samples of type T, where outputs look `reach` columns and rows far. Warps see them as Values:
// floats, which 16-bit samples may be too, or integers.
template <class T, int reach, BulkRing tuned, class V = float>
struct BulkRows {
  using Sample = T;
  using Value = V;
  static constexpr bool converts = !std::is_same_v<T, float>;
  // A power of two: what lanes do with a margin, they do in whole rows. And whole vectors.
  static constexpr int half = reach;
  static constexpr int margin = half <= 4 && vector_samples<T> <= 4 ? 4 : half <= 8 ? 8 : 16;
  static constexpr int workers = tuned.workers;
  static constexpr int threads = 32 * (workers + 1);
  static constexpr int columns = tuned.columns;
  static constexpr int warp_width = 32 * columns, tile_width = workers * warp_width;
  static constexpr int pitch = tile_width + 2 * margin;
  static constexpr int slab_rows = tuned.slab_rows, depth = tuned.depth;
  static constexpr int rows = tuned.rows;
  static constexpr int slab = slab_rows * pitch;  // samples
  static constexpr unsigned sample = sizeof(T), slab_bytes = slab * sample;
  // The ring, and behind it the barriers: for each slab of the ring one that reports that it is
  // there, then for each one that reports that nobody needs it any more. Then what the warps make
  // of a slab, a part for each.
  static constexpr unsigned barriers = depth * slab_bytes;
  static constexpr unsigned values = barriers + 2 * depth * Barrier::bytes;
  static constexpr int values_pitch = converts ? warp_width + 2 * margin : pitch;
  static constexpr unsigned values_bytes = converts ? slab_rows * values_pitch * 4 : 0;
  static constexpr int bytes = static_cast<int>(values + workers * values_bytes);
  static_assert(half <= margin && margin % vector_samples<T> == 0 && values % 16 == 0 &&
                slab_rows * margin % 32 == 0 && slab_rows % rows == 0);
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

// What lies outside the plane, as it would be stored there.
template <class T>
__device__ inline T stored_outside(const Sampling& sampling) {
  if constexpr (std::is_same_v<T, float>)
    return sampling.outside;
  else
    return static_cast<T>(static_cast<unsigned>(sampling.outside) << sampling.shift);
}

// The rows [y, y + slab_rows) of `src`, of which some lie outside.
template <class S>
__device__ void send_slab_at_edge(SharedAddress slab, const Barrier& arrived, bool elected,
                                  const Plane<const typename S::Sample>& src,
                                  const Sampling& sampling, int x, int first, int last, int y) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const unsigned bytes = static_cast<unsigned>(last - first) * S::sample;
  const SharedAddress to = slab + static_cast<unsigned>(first) * S::sample;
  // One row's for each lane, -1 for what is not copied.
  const int mine = lane < S::slab_rows ? border_index(sampling.border, y + lane, src.height) : -1;
  const unsigned copied = __ballot_sync(whole_warp, mine >= 0);
  if (sampling.border == BorderMode::constant) {
    const auto outside = stored_outside<typename S::Sample>(sampling);
#pragma unroll 1
    for (int r = 0; r < S::slab_rows; ++r) {
      if (copied >> r & 1) continue;
      const SharedAddress row = to + static_cast<unsigned>(r * S::pitch) * S::sample;
      for (unsigned i = static_cast<unsigned>(lane) * S::sample; i < bytes; i += 32 * S::sample)
        (row + i).store(outside);
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
template <class S>
__device__ void send_slabs(SharedAddress ring, const Tile& tile, int slabs,
                           const Sampling& sampling) {
  const auto src = tile.pair.src.as<const typename S::Sample>();
  // The columns of a slab that lie in the plane: whole vectors of 16 bytes.
  const int x = tile.x - S::margin;
  const int first = max(-x, 0), last = min(S::pitch, src.width - x);
  const unsigned bytes = static_cast<unsigned>(last - first) * S::sample;
  // The tile above reads the first rows too, at its end.
  constexpr int read_again = (2 * S::half + S::slab_rows - 1) / S::slab_rows;  // slabs
  const std::uint64_t keep = keep_in_l2(), pass = pass_through_l2();
  const bool elected = elect_one();
  int y = tile.y - S::half;
  RingPlace<S> place(ring, 1);
#pragma unroll 1
  for (int slab = 0; slab < slabs; ++slab, y += S::slab_rows, place.advance()) {
    place.done().wait(place.parity());
    const std::uint64_t policy = slab < read_again ? keep : pass;
    if (y < 0 || y + S::slab_rows > src.height) {
      send_slab_at_edge<S>(place.slab(), place.arrived(), elected, src, sampling, x, first, last,
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
template <class S>
class Margin {
  using T = typename S::Sample;

 public:
  // Of the margin that begins with column `outer` of the plane; slabs begin with column x0.
  __device__ void place(int outer, int x0, int width, const Sampling& sampling) {
    outside_ = stored_outside<T>(sampling);
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
      T value;
      (rows + from_).load(value);
      (rows + to_).store(constant_ ? outside_ : value);
    }
  }

 private:
  unsigned to_, from_;  // bytes from where a slab begins
  bool constant_;
  T outside_;
};

// A warp's columns of a slab, with margins, from codes to values: vectors of four.
template <class S>
class Conversion {
 public:
  // `column` of the slab is the warp's first; its margin lies before it.
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
  // As bits: shared memory has no types.
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

// Two adjacent values from shared memory.
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
  __device__ WarpRows(SharedAddress ring, const Tile& tile, int width, const Sampling& sampling)
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

  // Waits for the next slab. Returns where the lane's first column of its first row is looked at,
  // S::margin columns before it.
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
  // The slab that next() gave is needed no more.
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

// All that a block does: `work(rows, tile, outputs, slabs)` is what a warp makes of the slabs of
// its tile, which are S::slab_rows high each and complete `outputs` rows; the first 2 * S::half
// rows complete none.
template <class S, class Work>
__device__ void walk_down(const Batch& batch, const Sampling& sampling, int most_slabs, Work work) {
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

// Whether the kernels of a shape take the planes. Rows are whole vectors of 16 bytes; and where a
// plane ends a few columns into a warp's, the warp to the left would need the margin as well.
template <class S>
bool takes_rows(const PlanePair& pair) {
  const int width = pair.src.width, into = width % S::warp_width;
  return is_aligned(pair.src, 16) &&
         is_aligned(pair.dst, S::columns * static_cast<unsigned>(S::sample)) &&
         width % vector_samples<typename S::Sample> == 0 &&
         (into == 0 || into >= S::half || width < S::warp_width);
}

// Runs the pairs that `Bulk` takes by it, and the others by another convolver.
template <class Bulk>
class BulkOrOther final : public Convolver {
 public:
  BulkOrOther(const Plan& plan, std::unique_ptr<Convolver> other)
      : bulk_(plan), other_(std::move(other)) {}

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    while (!pairs.empty()) {
      const bool bulk = bulk_.takes(pairs.front());
      const auto unlike = std::ranges::find_if(
          pairs, [&](const PlanePair& pair) { return bulk_.takes(pair) != bulk; });
      const auto alike = pairs.first(static_cast<std::size_t>(unlike - pairs.begin()));
      if (bulk)
        bulk_.run(alike, stream);
      else
        other_->run(alike, stream);
      pairs = pairs.subspan(alike.size());
    }
  }

 private:
  Bulk bulk_;
  std::unique_ptr<Convolver> other_;
};

}  // namespace vidconv::cuda
