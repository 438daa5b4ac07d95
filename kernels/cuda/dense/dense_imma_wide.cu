// cuda-dense-imma-wide: one matrix that reaches up to 24 samples around the output sample, for
// integer samples on the integer tensor cores.
//
// A warp makes 8 rows of 128 outputs, in 16 blocks of 8. One kernel row is one product
//   [16 blocks x window of samples] * [window x 8 outputs of a block],
// samples in A, taps in B. The sample rows that 8 output rows see through one kernel row lie in
// registers: for the next kernel row one row of samples comes in and one goes.
//
// Taps and samples of two bytes take a product for each pair of bytes. Products of equal weight are
// added up; the heavier ones come first, so that one sum after the other is shifted up.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/device_array.h"
#include "kernels/cuda/common/imma_passes.cuh"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/output.cuh"
#include "kernels/cuda/common/tile.cuh"
#include "kernels/cuda/common/tuning.h"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace dense_imma_wide_kernels {
namespace {

constexpr int warps = sm90::dense_imma_wide.warps;  // a block's warps, one below the other
constexpr int strip = sm90::dense_imma_wide.strip;  // rows that a warp computes
constexpr int block = 8;                            // outputs in a row of A * B
constexpr int tile_width = 16 * block;
constexpr int tile_height = warps * strip;

constexpr int least_chunks = 2;
constexpr int tallest = 2 * radius(most_chunks) + 1;

struct Work {
  Batch batch;
  Sampling sampling;
  Rounding rounding;  // rounding of 8-bit codes, whose sums start with Finish::offset
  std::int32_t start;
  Finish finish;         // finish of codes with more bits
  int height, anchor_y;  // the matrix's height and anchor
  int right, left;       // how far the matrix reaches
  const unsigned* taps;  // [byte][kernel row][pair of chunks, or one][lane], in device memory
};

// The samples of a tile in shared memory.
template <class T, int chunks>
struct Layout {
  static constexpr int margin = round_up(radius(chunks), vector_samples<T>);
  static constexpr int last_window = margin - radius(chunks) + tile_width - block;
  static constexpr int pitch = round_up(last_window + 16 * chunks, vector_samples<T>);
  static constexpr int stride = pitch * static_cast<int>(sizeof(T));  // bytes
};

// The lane's samples of one row, of blocks g and g + 8; and its taps of one kernel row.
template <int chunks>
struct SampleRow {
  unsigned a[2][chunks];

  __device__ void load(const std::uint8_t* from, int q) {
    load_window<chunks>(a[0], from, q);
    load_window<chunks>(a[1], from + 8 * block, q);
  }
};
template <int chunks>
struct KernelRow {
  static constexpr int words = chunks * warp_size;
  unsigned b[chunks];

  __device__ void load(const unsigned* from) {
#pragma unroll
    for (int c = 0; c + 1 < chunks; c += 2) {
      const uint2 v = __ldg(reinterpret_cast<const uint2*>(from + c * warp_size) + threadIdx.x);
      b[c] = v.x, b[c + 1] = v.y;
    }
    if constexpr (chunks % 2 == 1)
      b[chunks - 1] = __ldg(from + (chunks - 1) * warp_size + threadIdx.x);
  }
};

template <class Byte, int chunks>
__device__ inline Sums multiply_add(const SampleRow<chunks>& row, const unsigned (&b)[chunks],
                                    Sums sums) {
#pragma unroll
  for (int c = 0; c + 1 < chunks; c += 2)
    sums = mma32<std::uint8_t, Byte>(row.a[0][c], row.a[1][c], row.a[0][c + 1], row.a[1][c + 1],
                                     b[c], b[c + 1], sums);
  if constexpr (chunks % 2 == 1)
    sums =
        mma16<std::uint8_t, Byte>(row.a[0][chunks - 1], row.a[1][chunks - 1], b[chunks - 1], sums);
  return sums;
}

// Adds to sums[r] the products of `height` kernel rows, of one byte of the taps, with one byte of
// the sample rows from r on. The lane's windows begin at `from` in the first of these. One more row
// than there are is read of both kinds.
template <class Byte, int stride, int chunks>
__device__ __forceinline__ void add_rows(Sums (&sums)[strip], const std::uint8_t* from, int height,
                                         const unsigned* taps) {
  const int q = static_cast<int>(threadIdx.x) % 4;
  SampleRow<chunks> rows[strip];  // for kernel row j, sample row j + r is in rows[(j + r) % strip]
#pragma unroll
  for (SampleRow<chunks>& row : rows) {
    row.load(from, q);
    from += stride;
  }
  KernelRow<chunks> kernel_row, next_row;
  next_row.load(taps);
#pragma unroll 1
  for (int first = 0; first < height; first += strip) {
#pragma unroll
    for (int i = 0; i < strip; ++i) {
      if (first + i >= height) break;
      kernel_row = next_row;
      next_row.load(taps + (i + 1) * KernelRow<chunks>::words);
#pragma unroll
      for (int r = 0; r < strip; ++r) {
        sums[r] = multiply_add<Byte>(rows[(i + r) % strip], kernel_row.b, sums[r]);
        if (r == 0) rows[i].load(from + i * stride, q);
      }
    }
    from += strip * stride;
    taps += strip * KernelRow<chunks>::words;
  }
}

__device__ inline void shift_up(Sums (&sums)[strip], std::int32_t start) {
#pragma unroll
  for (Sums& sum : sums) sum = next_byte(sum, start);
}

// Adds all products, the heaviest first; sums[r] becomes the response of row r plus `start`.
template <int chunks, int bytes>
__device__ inline void add_all(Sums (&sums)[strip], const std::uint8_t* from, const Work& work,
                               std::uint8_t) {
  constexpr int stride = Layout<std::uint8_t, chunks>::stride;
#pragma unroll
  for (Sums& sum : sums) sum = all(bytes == 1 ? work.start : 0);
  add_rows<std::int8_t, stride, chunks>(sums, from, work.height, work.taps);
  if constexpr (bytes == 2) {
    shift_up(sums, work.start);
    const unsigned* const lower = work.taps + (work.height + 1) * KernelRow<chunks>::words;
    add_rows<std::uint8_t, stride, chunks>(sums, from, work.height, lower);
  }
}
// Bytes of samples lie as split_bytes() leaves them. Both bytes of taps are signed, so that one
// piece of code adds all products: with four copies of it, sums would not stay in registers; two
// are faster than one.
template <int chunks, int bytes>
__device__ inline void add_all(Sums (&sums)[strip], const std::uint8_t* from, const Work& work,
                               std::uint16_t) {
  using L = Layout<std::uint16_t, chunks>;
#pragma unroll
  for (Sums& sum : sums) sum = all(0);
  constexpr int copies = bytes == 1 ? 2 : 1;
#pragma unroll copies
  for (int product = 0; product < 2 * bytes; ++product) {
    const bool high = product % 2 == 0, lower = product >= 2;
    const unsigned* const taps =
        work.taps + (lower ? (work.height + 1) * KernelRow<chunks>::words : 0);
    add_rows<std::int8_t, L::stride, chunks>(sums, from + (high ? L::pitch : 0), work.height, taps);
    if (high) shift_up(sums, 0);
  }
}

// Calls body(codes) with the function that makes a stored pair of codes from two sums.
template <class T, class Body>
__device__ inline void with_codes(const Work& work, Body body) {
  if constexpr (sizeof(T) == 1)
    with_rounding(work.rounding, [&](auto round) {
      body([&](std::int32_t a, std::int32_t b) {
        return static_cast<std::uint16_t>(pack_codes(round(a), round(b)));
      });
    });
  else
    with_finish(work.finish, [&](const Finish& f) {
      body([&](std::int32_t a, std::int32_t b) {
        const auto low = static_cast<unsigned>(finish_int(f, a));
        return (low | static_cast<unsigned>(finish_int(f, b)) << 16) << work.sampling.shift;
      });
    });
}

template <class T, int chunks, int bytes>
__global__ void __launch_bounds__(warp_size* warps, chunks == 2 ? 3 : 2)
    dense_imma_wide_kernel(const __grid_constant__ Work work) {
  using L = Layout<T, chunks>;
  extern __shared__ uint4 shared[];
  auto* const samples = reinterpret_cast<T*>(shared);

  const Tile tile = this_tile(work.batch, tile_width, tile_height);
  const Piece piece{
      tile.x - L::margin, tile.y - work.anchor_y,          L::pitch, tile_height + work.height - 1,
      work.right,         work.height - 1 - work.anchor_y, work.left};
  let_next_kernel_start();
  wait_for_earlier_kernels();
  load_tile(samples, piece, tile.pair.src.as<const T>(), work.sampling);
  __syncthreads();
  if constexpr (sizeof(T) == 2) {
    split_bytes<L::pitch>(samples, piece.rows);
    __syncthreads();
  }

  const int lane = static_cast<int>(threadIdx.x), g = lane / 4, q = lane % 4;
  const int first_row = static_cast<int>(threadIdx.y) * strip;
  const Plane<T> dst = tile.pair.dst.as<T>();
  const int x = tile.x + block * g + 2 * q, y0 = tile.y + first_row;
  if (y0 >= dst.height) return;

  Sums sums[strip];
  add_all<chunks, bytes>(sums,
                         reinterpret_cast<const std::uint8_t*>(samples) + first_row * L::stride +
                             L::margin - radius(chunks) + block * g,
                         work, T{});

  with_codes<T>(work, [&](auto codes) {
    const bool whole = is_aligned(dst, 2 * sizeof(T)) && tile.x + tile_width <= dst.width &&
                       y0 + strip <= dst.height;
#pragma unroll
    for (int r = 0; r < strip; ++r) {
      const auto left = codes(sums[r].v[0], sums[r].v[1]);
      const auto right = codes(sums[r].v[2], sums[r].v[3]);
      if (whole) {
        T* const to = dst.row(y0 + r) + x;
        *reinterpret_cast<std::remove_const_t<decltype(left)>*>(to) = left;
        *reinterpret_cast<std::remove_const_t<decltype(right)>*>(to + 8 * block) = right;
      } else if (y0 + r < dst.height) {
        store_two(dst, x, y0 + r, left);
        store_two(dst, x + 8 * block, y0 + r, right);
      }
    }
  });
}

template <class T, int chunks, int bytes>
class DenseImmaWide final : public Convolver {
 public:
  explicit DenseImmaWide(const Plan& plan) : taps_(all_taps(plan.terms[0])) {
    const Taps& t = plan.terms[0];
    work_.sampling = sampling_of(plan);
    if (sizeof(T) == 1) {
      work_.rounding = rounding_of(plan.finish);
      work_.start = plan.finish.offset;
    }
    work_.finish = plan.finish;
    work_.height = t.height;
    work_.anchor_y = t.anchor_y;
    work_.left = t.anchor_x;
    work_.right = t.width - 1 - t.anchor_x;
    work_.taps = taps_.data();
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    const int samples = Layout<T, chunks>::pitch * (tile_height + work_.height);
    for_each_batch(pairs, tile_width, tile_height, [&](const Batch& batch, int blocks) {
      work_.batch = batch;
      launch("cuda-dense-imma-wide", dense_imma_wide_kernel<T, chunks, bytes>, blocks,
             dim3(warp_size, warps), samples * static_cast<int>(sizeof(T)), stream, work_);
    });
  }

 private:
  // B: a lane's register c holds the taps of chunk c of a window for output g of its block.
  static DeviceArray<unsigned> all_taps(const Taps& t) {
    const auto word = [&](int row, int byte, int chunk, int lane) {
      unsigned packed = 0;
      for (int b = 0; b < 4; ++b) {
        const int k = 16 * chunk + lane % 4 * 4 + b;
        const int i = window_slot(k, chunks) - lane / 4 - radius(chunks) + t.anchor_x;
        if (i < 0 || i >= t.width || row == t.height) continue;
        const double tap = t.dense[static_cast<std::size_t>(row * t.width + i)];
        const int whole = static_cast<int>(tap);
        const unsigned part =
            sizeof(T) == 1 ? byte_of(whole, byte, bytes) : signed_byte_of(whole, byte, bytes);
        packed |= part << (8 * b);
      }
      return packed;
    };
    std::vector<unsigned> all;
    for (int byte = 0; byte < bytes; ++byte)
      for (int row = 0; row <= t.height; ++row)  // one row of zeros at the end
        for (int c = 0; c < chunks; c += 2)
          for (int lane = 0; lane < warp_size; ++lane) {
            all.push_back(word(row, byte, c, lane));
            if (c + 1 < chunks) all.push_back(word(row, byte, c + 1, lane));
          }
    return DeviceArray<unsigned>(std::span<const unsigned>(all));
  }

  DeviceArray<unsigned> taps_;
  Work work_{};
};

int reach_to_the_sides(const Taps& t) { return std::max(t.anchor_x, t.width - 1 - t.anchor_x); }

template <class T, int chunks>
std::unique_ptr<Convolver> make_wide(const Plan& plan) {
  if constexpr (chunks < most_chunks)
    if (reach_to_the_sides(plan.terms[0]) > radius(chunks)) return make_wide<T, chunks + 1>(plan);
  if (bytes_needed(plan.terms[0].dense) == 1)
    return std::make_unique<DenseImmaWide<T, chunks, 1>>(plan);
  return std::make_unique<DenseImmaWide<T, chunks, 2>>(plan);
}

}  // namespace
}  // namespace dense_imma_wide_kernels

bool supports_dense_imma_wide(const Plan& plan, const CudaAbilities& abilities) {
  using namespace dense_imma_wide_kernels;
  if (!supports_dense(plan) || plan.terms.size() != 1 || plan.finish.combine != Combine::linear)
    return false;
  const Taps& t = plan.terms[0];
  if (plan.sample.storage == Storage::u16 && !std::ranges::all_of(t.dense, has_signed_bytes))
    return false;
  return reach_to_the_sides(t) <= radius(most_chunks) && t.height <= tallest &&
         bytes_needed(t.dense) != 0 &&
         (imma_serves(plan, abilities) || imma_serves_two_bytes(plan, abilities));
}

std::unique_ptr<Convolver> make_dense_imma_wide(const Plan& plan, int) {
  using namespace dense_imma_wide_kernels;
  if (plan.sample.storage == Storage::u16) return make_wide<std::uint16_t, least_chunks>(plan);
  return make_wide<std::uint8_t, least_chunks>(plan);
}

}  // namespace vidconv::cuda
