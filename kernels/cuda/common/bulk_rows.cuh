// Strips of planes that bulk copies load row by row (sm_90): their layout in shared memory, and the
// warp that starts the copies.
//
// A block walks down. One warp copies slabs of rows, as far ahead as the ring has room; each of the
// others works on columns of its own and waits only for the slab (warp_rows.cuh).
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/bulk.cuh"
#include "kernels/cuda/common/tile.cuh"
#include "kernels/cuda/common/tuning.h"

namespace vidconv::cuda {

// The shape of slabs of samples of type T, where outputs look `reach` rows and `across` columns
// far. Warps see samples as Values: floats, which 16-bit samples may become too, or integers.
template <class T, int reach, BulkRing tuned, class V = float, int across = reach>
struct BulkRows {
  using Sample = T;
  using Value = V;
  static constexpr bool converts = !std::is_same_v<T, float>;
  // A power of two, because lanes handle a margin in whole rows; and whole vectors.
  static constexpr int half = reach, aside = across;
  static constexpr int margin = aside <= 4 && vector_samples<T> <= 4 ? 4
                                : aside <= 8                         ? 8
                                : aside <= 16                        ? 16
                                                                     : 32;
  static constexpr int workers = tuned.workers;
  static constexpr int threads = 32 * (workers + 1);
  static constexpr int columns = tuned.columns;
  static constexpr int warp_width = 32 * columns, tile_width = workers * warp_width;
  static constexpr int pitch = tile_width + 2 * margin;
  static constexpr int slab_rows = tuned.slab_rows, depth = tuned.depth;
  static constexpr int rows = tuned.rows;
  static constexpr int slab = slab_rows * pitch;  // samples
  static constexpr unsigned sample = sizeof(T), slab_bytes = slab * sample;
  // Behind the ring lie the barriers: for each slab of the ring one that reports that it is there,
  // then for each one that reports that nobody needs it any more. Then come the values that warps
  // convert slabs to, an area for each warp.
  static constexpr unsigned barriers = depth * slab_bytes;
  static constexpr unsigned values = barriers + 2 * depth * Barrier::bytes;
  static constexpr int values_pitch = converts ? warp_width + 2 * margin : pitch;
  static constexpr unsigned values_bytes = converts ? slab_rows * values_pitch * 4 : 0;
  static constexpr int bytes = static_cast<int>(values + workers * values_bytes);
  static_assert(aside <= margin && margin % vector_samples<T> == 0 && values % 16 == 0 &&
                slab_rows * margin % 32 == 0 && slab_rows % rows == 0);
};

// The next slab of the ring, and the phase of its barriers to wait for.
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

// Returns the value outside the plane, as it would be stored there.
template <class T>
__device__ inline T stored_outside(const Sampling& sampling) {
  if constexpr (std::is_same_v<T, float>)
    return sampling.outside;
  else
    return static_cast<T>(static_cast<unsigned>(sampling.outside) << sampling.shift);
}

// Copies the rows [y, y + slab_rows) of `src`, of which some lie outside.
template <class S>
__device__ void send_slab_at_edge(SharedAddress slab, const Barrier& arrived, bool elected,
                                  const Plane<const typename S::Sample>& src,
                                  const Sampling& sampling, int x, int first, int last, int y) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const unsigned bytes = static_cast<unsigned>(last - first) * S::sample;
  const SharedAddress to = slab + static_cast<unsigned>(first) * S::sample;
  // Each lane has one row's index in the plane, -1 where that row is not copied.
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

// Copies the slabs of a tile. All lanes of one warp call this.
template <class S>
__device__ void send_slabs(SharedAddress ring, const Tile& tile, int slabs,
                           const Sampling& sampling) {
  const auto src = tile.pair.src.as<const typename S::Sample>();
  // The columns of a slab that lie in the plane are whole vectors of 16 bytes.
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

}  // namespace vidconv::cuda
