// cuda-dense-imma: one or two matrices that fit into 9x9 around the output sample, for integer
// samples on the integer tensor cores.
//
// A warp makes 128 outputs of a row at a time, in 16 blocks of 8. Two kernel rows are one product
//   [16 blocks x (16 samples of row j, 16 of row j + 1)] * [32 x 8 outputs of a block],
// samples in A, taps in B. A row of samples is loaded once and used by all outputs that see it.
// Samples of 16 bits take a product for each of their bytes, as do taps.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/device_array.h"
#include "kernels/cuda/common/imma.cuh"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/output.cuh"
#include "kernels/cuda/common/tile.cuh"
#include "kernels/cuda/common/tuning.h"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace {

constexpr int warps = sm90::dense_imma.warps;  // a block's warps, one below the other
constexpr int strip = sm90::dense_imma.strip;  // rows that a warp computes
constexpr int block = 8;                       // outputs in a row of A * B
constexpr int tile_width = 16 * block;
constexpr int tile_height = warps * strip;

constexpr int largest = 9;
constexpr int reach = 4;  // samples of a window of 16 on each side of its block

struct Work {
  Batch batch;
  PixelSampling sampling;
  Finish finish;
  Rounding rounding;
  const uint2* taps;  // [term][parity][byte][pair of sample rows][lane], in device memory
};

// The number of pairs of sample rows that a strip needs.
template <int size>
constexpr int pairs_of_strip = strip / 2 + size / 2;

// The number of pairs of kernel rows.
constexpr int pairs_of(int size) { return (size + 1) / 2; }

// B of a term, one byte of the taps each, for pairs of sample rows. The first of a pair is kernel
// row 0 (parity 0) or comes before it (parity 1), so that outputs of all rows use the same pairs.
template <int size, int bytes>
struct MatrixTaps {
  static constexpr int pairs = pairs_of(size);
  static constexpr int rows_of_pairs = pairs_of_strip<size>;
  uint2 b[2][bytes][pairs];

  __device__ explicit MatrixTaps(const uint2* from) {
#pragma unroll
    for (int parity = 0; parity < 2; ++parity)
#pragma unroll
      for (int byte = 0; byte < bytes; ++byte)
#pragma unroll
        for (int p = 0; p < pairs; ++p, from += warp_size)
          b[parity][byte][p] = __ldg(from + threadIdx.x);
  }

  // Returns output row `row`'s responses; rows[p] has the lane's samples of rows 2p and 2p + 1.
  __device__ Sums response(const uint4 (&rows)[1][rows_of_pairs], int row,
                           const Sums& start) const {
    if constexpr (bytes == 1) return add<0>(rows[0], row, start);
    return add<bytes - 1>(rows[0], row, next_byte(add<0>(rows[0], row, all(0)), start.v[0]));
  }
  // Returns the responses from the lower and the upper bytes of samples.
  __device__ Sums response(const uint4 (&rows)[2][rows_of_pairs], int row,
                           const Sums& start) const {
    Sums sums = next_byte(add<0>(rows[1], row, all(0)), bytes == 1 ? start.v[0] : 0);
    sums = add<0>(rows[0], row, sums);
    if constexpr (bytes == 1) return sums;
    sums = next_byte(add<bytes - 1>(rows[1], row, sums), start.v[0]);
    return add<bytes - 1>(rows[0], row, sums);
  }

 private:
  template <int byte>
  __device__ Sums add(const uint4* rows, int row, Sums sums) const {
    using Byte = std::conditional_t<byte == 0, std::int8_t, std::uint8_t>;
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      const uint4 a = rows[row / 2 + p];
      const uint2 taps = b[row % 2][byte][p];
      sums = mma32<std::uint8_t, Byte>(a.x, a.y, a.z, a.w, taps.x, taps.y, sums);
    }
    return sums;
  }
};

// Returns the l2 norm of two integers, rounded, not clamped. Sums of squares must be below 2^23.
//
// For codes k <= 255, sqrt(s) of an integer s stays 1 / (8k) = 0.0005 away from k + 1/2, and the
// approximate root's error is below 255 * 2^-22 = 0.0001 (PTX ISA, sqrt.approx: 2^-23 relative); so
// rounding it gives what IEEE operations give. Larger roots are clamped either way.
__device__ inline int rounded_norm(int a, int b) {
  constexpr int magic = 0x4B000000;  // the bits of 2^23, to which integers below it may be added
  const float squares = __int_as_float(a * a + b * b + magic) - 8388608.0f;
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(squares));
  return __float_as_int(__fadd_rn(root, 8388608.0f)) - magic;
}

// How two responses become one: not at all in a filter with one kernel, else by rounded_norm(), by
// Combine::l1 or max, or in any way.
enum class Join { none, short_norm, absolutes, any };

// The samples of a tile in shared memory. Rows of pixels have taps as far aside as a window has
// room for; taps of planes lie no further aside than up or down.
template <class T, int size, bool pixels>
struct Layout {
  static constexpr int half = size / 2, aside = pixels ? reach : half;
  static constexpr int margin = vector_samples<T>;
  static constexpr int pitch = tile_width + 2 * margin;
  static constexpr int rows = tile_height + size - 1;
  static constexpr Window window(const Tile& tile) {
    return {tile.x - reach, tile.y - half,  tile_width + 2 * reach,
            rows,           margin - reach, pitch,
            aside,          half,           aside};
  }
};

// A of a strip: the lane's samples of pairs of rows, of blocks g and g + 8 each. Samples of 16 bits
// have two: of their lower and of their upper bytes.
template <class T, int size>
using StripPairs = uint4[sizeof(T)][pairs_of_strip<size>];

template <int size>
__device__ inline void load_pairs(StripPairs<std::uint8_t, size>& pairs, const std::uint8_t* from,
                                  std::ptrdiff_t stride) {
#pragma unroll
  for (uint4& pair : pairs[0]) {
    pair.x = *reinterpret_cast<const unsigned*>(from);
    pair.y = *reinterpret_cast<const unsigned*>(from + 8 * block);
    from += stride;
    pair.z = *reinterpret_cast<const unsigned*>(from);
    pair.w = *reinterpret_cast<const unsigned*>(from + 8 * block);
    from += stride;
  }
}

// `shift` belongs to samples as they are stored; `stride` is in bytes.
template <int size>
__device__ inline void load_pairs(StripPairs<std::uint16_t, size>& pairs, const std::uint16_t* from,
                                  std::ptrdiff_t stride, int shift) {
  constexpr unsigned lower = 0x6420, upper = 0x7531;
  const auto load = [&](const std::uint16_t* at) {
    const uint2 v = *reinterpret_cast<const uint2*>(at);
    return make_uint2(shift_down<std::uint16_t>(v.x, shift), shift_down<std::uint16_t>(v.y, shift));
  };
#pragma unroll
  for (int p = 0; p < pairs_of_strip<size>; ++p) {
    uint2 v[2][2];
#pragma unroll
    for (auto& row : v) {
      row[0] = load(from);
      row[1] = load(from + 8 * block);
      from =
          reinterpret_cast<const std::uint16_t*>(reinterpret_cast<const std::byte*>(from) + stride);
    }
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      const auto bytes = [&](uint2 w) { return __byte_perm(w.x, w.y, part == 0 ? lower : upper); };
      pairs[part][p] = {bytes(v[0][0]), bytes(v[0][1]), bytes(v[1][0]), bytes(v[1][1])};
    }
  }
}

// Packs two codes side by side, as they are stored.
__device__ inline unsigned two_codes(std::uint8_t, int a, int b, int) { return pack_codes(a, b); }
__device__ inline unsigned two_codes(std::uint16_t, int a, int b, int shift) {
  return (static_cast<unsigned>(a) | static_cast<unsigned>(b) << 16) << shift;
}

// Calls store(row, codes of block g, codes of block g + 8) for all rows of the strip. `terms` is 1,
// or 2 with taps of their own.
template <class T, int terms, class Taps, class Pairs, class Code, class Store>
__device__ inline void for_rows(const Taps& taps, const Taps& more_taps, const Pairs& pairs,
                                const Sums& start, int shift, Code code, Store store) {
#pragma unroll
  for (int r = 0; r < strip; ++r) {
    const Sums a = taps.response(pairs, r, start);
    Sums b{};
    if constexpr (terms == 2) b = more_taps.response(pairs, r, start);
    store(r, two_codes(T{}, code(a.v[0], b.v[0]), code(a.v[1], b.v[1]), shift),
          two_codes(T{}, code(a.v[2], b.v[2]), code(a.v[3], b.v[3]), shift));
  }
}

// Stores the codes from rows(store), as for_rows() makes them: two codes of each block, at (x, y0)
// and 8 blocks to the right, as far as the plane reaches; in words of two codes where it holds the
// tile, which begins with column tile_x. (This is tested here, not before the sums, because
// registers are scarce.) `once`: tests before each store, so that rows() is compiled once.
template <class T, bool once, class Rows>
__device__ inline void store_strip(const Plane<T>& dst, int tile_x, int x, int y0, Rows rows) {
  using Two = std::conditional_t<sizeof(T) == 1, std::uint16_t, unsigned>;
  const bool whole =
      is_aligned(dst, sizeof(Two)) && tile_x + tile_width <= dst.width && y0 + strip <= dst.height;
  const auto store_cut = [&](int r, unsigned left, unsigned right) {
    if (y0 + r >= dst.height) return;
    store_two(dst, x, y0 + r, left);
    store_two(dst, x + 8 * block, y0 + r, right);
  };
  if constexpr (!once)
    if (!whole) {
      rows(store_cut);
      return;
    }
  T* to = dst.row(y0) + x;
  rows([&](int r, unsigned left, unsigned right) {
    if (once && !whole) {
      store_cut(r, left, right);
      return;
    }
    *reinterpret_cast<Two*>(to) = static_cast<Two>(left);
    *reinterpret_cast<Two*>(to + 8 * block) = static_cast<Two>(right);
    to = reinterpret_cast<T*>(reinterpret_cast<std::byte*>(to) + dst.stride);
  });
}

// Calls body(code) with the shortest function that makes a code, not clamped, from two responses,
// or from the first alone where there is no second.
template <class T, Join join, class Body>
__device__ inline void with_code(const Work& work, Body body) {
  if constexpr (join == Join::any)
    body([&](int a, int b) {
      const std::int32_t responses[2] = {a, b};
      return static_cast<int>(finish<T>(work.finish, responses, 2));
    });
  else if constexpr (join == Join::short_norm)
    body([](int a, int b) { return rounded_norm(a, b); });
  else if constexpr (join == Join::absolutes)
    with_rounding(work.rounding, [&](auto round) {
      const bool sum = work.finish.combine == Combine::l1;
      body([&](int a, int b) {
        return round((sum ? abs(a) + abs(b) : max(abs(a), abs(b))) + work.finish.offset);
      });
    });
  else if constexpr (sizeof(T) == 1)
    with_rounding(work.rounding, [&](auto round) { body([=](int n, int) { return round(n); }); });
  else
    with_finish(work.finish,
                [&](const Finish& f) { body([&](int a, int) { return finish_int(f, a); }); });
}

// Loads the lane's pairs of rows; `first_row` is its warp's first in the tile. All threads of the
// block take part.
template <int size, bool pixels>
__device__ inline void load(StripPairs<std::uint8_t, size>& pairs, std::uint8_t* samples,
                            const Tile& tile, const PixelSampling& sampling, int first_row,
                            int column) {
  const ByteView view =
      view_window(samples, Layout<std::uint8_t, size, pixels>::window(tile),
                  tile.pair.src.as<const std::uint8_t>(), sampling_for<pixels>(sampling));
  load_pairs<size>(pairs, view.row(first_row) + column, view.stride);
}
template <int size, bool pixels>
__device__ inline void load(StripPairs<std::uint16_t, size>& pairs, std::uint16_t* samples,
                            const Tile& tile, const PixelSampling& sampling, int first_row,
                            int column) {
  const Window w = Layout<std::uint16_t, size, pixels>::window(tile);
  const auto src = tile.pair.src.as<const std::uint16_t>();
  if (lies_inside(w, src)) {
    load_pairs<size>(pairs, src.row(w.y0 + first_row) + w.x0 + column, src.stride, sampling.shift);
    return;
  }
  load_tile(samples, Piece{w.x0 - w.lead, w.y0, w.pitch, w.rows, w.right, w.below, w.left}, src,
            sampling_for<pixels>(sampling));
  __syncthreads();
  load_pairs<size>(pairs, samples + first_row * w.pitch + w.lead + column,
                   w.pitch * static_cast<int>(sizeof(std::uint16_t)), 0);
}

template <class T, int size, int bytes, Join join, bool pixels>
__global__ void __launch_bounds__(warp_size* warps)
    dense_imma_kernel(const __grid_constant__ Work work) {
  using L = Layout<T, size, pixels>;
  using Taps = MatrixTaps<size, bytes>;
  constexpr int terms = join == Join::none ? 1 : 2;
  __shared__ __align__(16) T samples[L::rows * L::pitch];

  const Tile tile = this_tile(work.batch, tile_width, tile_height);
  const Taps taps(work.taps);
  const Taps more_taps(work.taps + (terms - 1) * 2 * bytes * Taps::pairs * warp_size);
  let_next_kernel_start();
  wait_for_earlier_kernels();

  const int g = static_cast<int>(threadIdx.x) / 4, q = static_cast<int>(threadIdx.x) % 4;
  const int first_row = static_cast<int>(threadIdx.y) * strip;
  StripPairs<T, size> pairs;
  load<size, pixels>(pairs, samples, tile, work.sampling, first_row, block * g + 4 * q);

  const Plane<T> dst = tile.pair.dst.as<T>();
  const int x = tile.x + block * g + 2 * q, y0 = tile.y + first_row;
  const Sums start = all_kept(sizeof(T) == 1 && join == Join::none ? work.finish.offset : 0);
  with_code<T, join>(work, [&](auto code) {
    store_strip<T, join == Join::any>(dst, tile.x, x, y0, [&](auto store) {
      for_rows<T, terms>(taps, more_taps, pairs, start, work.sampling.shift, code, store);
    });
  });
}

// Returns whether outputs that are only to be copied can be computed like the others, by a tap of
// one unit in the first matrix and none in the second. They lie in the same columns of every block.
template <class T>
bool keeps_by_taps(const Plan& plan) {
  if (block % plan.components != 0 || plan.sample.shift != 0) return false;
  for (int code = 0; code <= plan.sample.max(); ++code) {
    const std::int32_t responses[2] = {static_cast<std::int32_t>(plan.finish.divisor) * code, 0};
    if (finish<T>(plan.finish, responses, static_cast<int>(plan.terms.size())) != code)
      return false;
  }
  return true;
}
bool keeps_by_taps(const Plan& plan) {
  return plan.sample.storage == Storage::u8 ? keeps_by_taps<std::uint8_t>(plan)
                                            : keeps_by_taps<std::uint16_t>(plan);
}

// Returns how many bytes hold each tap; 0 where two do not hold some tap.
int bytes_needed_by_all(const Plan& plan) {
  int bytes = plan.kept == 0 ? 1 : bytes_needed({static_cast<double>(plan.finish.divisor)});
  if (bytes == 0) return 0;
  for (const Taps& t : plan.terms) {
    const int needed = bytes_needed(t.dense);
    if (needed == 0) return 0;
    bytes = std::max(bytes, needed);
  }
  return bytes;
}

// Returns whether rounded_norm() gives what finish() computes.
bool has_short_norm(const Plan& plan) {
  const Finish& f = plan.finish;
  if (f.combine != Combine::l2 || f.divisor != 1 || f.real_offset != 0 || f.min != 0 ||
      f.max != 255)
    return false;
  double squares = 0;
  for (const Taps& t : plan.terms) {
    double sum = 0;
    for (double tap : t.dense) sum += std::abs(tap) * plan.sample.max();
    squares += sum * sum;
  }
  return squares < 0x1p23;
}

class DenseImma final : public Convolver {
 public:
  // `size` and `bytes` are the kernel's.
  DenseImma(const Plan& plan, void (*kernel)(Work), int size, int bytes)
      : kernel_(kernel), taps_(all_taps(plan, size, bytes)) {
    work_.sampling = pixel_sampling_of(plan);
    work_.finish = plan.finish;
    if (plan.sample.storage == Storage::u8) work_.rounding = rounding_of(plan.finish);
    work_.taps = taps_.data();
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    for_each_batch(pairs, tile_width, tile_height, [&](const Batch& batch, int blocks) {
      work_.batch = batch;
      launch("cuda-dense-imma", kernel_, blocks, dim3(warp_size, warps), 0, stream, work_);
    });
  }

 private:
  // B: register `upper` of a lane holds sample row 2p + upper, samples 4q.. of its window.
  static DeviceArray<uint2> all_taps(const Plan& plan, int size, int bytes) {
    std::vector<uint2> all;
    double unit = plan.finish.divisor;  // the tap that copies, in the first matrix alone
    for (const Taps& t : plan.terms) {
      for (int parity = 0; parity < 2; ++parity)
        for (int byte = 0; byte < bytes; ++byte)
          for (int p = 0; p < pairs_of(size); ++p)
            for (int lane = 0; lane < warp_size; ++lane) {
              unsigned words[2] = {};
              for (int upper = 0; upper < 2; ++upper)
                for (int b = 0; b < 4; ++b) {
                  const int j = 2 * p + upper - parity - size / 2 + t.anchor_y;
                  const int i = lane % 4 * 4 + b - lane / 4 - reach + t.anchor_x;
                  if (j < 0 || j >= t.height || i < 0 || i >= t.width) continue;
                  double tap = t.dense[static_cast<std::size_t>(j * t.width + i)];
                  if (plan.keeps(lane / 4)) tap = j == t.anchor_y && i == t.anchor_x ? unit : 0;
                  words[upper] |= byte_of(static_cast<int>(tap), byte, bytes) << (8 * b);
                }
              all.push_back(make_uint2(words[0], words[1]));
            }
      unit = 0;
    }
    return DeviceArray<uint2>(std::span<const uint2>(all));
  }

  void (*kernel_)(Work);
  DeviceArray<uint2> taps_;
  Work work_{};
};

template <class T, int size, bool pixels>
std::unique_ptr<Convolver> make_of_size(const Plan& plan) {
  const auto make = [&]<int bytes, Join join>() {
    return std::make_unique<DenseImma>(plan, dense_imma_kernel<T, size, bytes, join, pixels>, size,
                                       bytes);
  };
  if (plan.terms.size() == 2) {
    if constexpr (sizeof(T) == 1) {
      if (has_short_norm(plan)) return make.template operator()<1, Join::short_norm>();
      if (plan.finish.combine == Combine::l1 || plan.finish.combine == Combine::max)
        return make.template operator()<1, Join::absolutes>();
    }
    if constexpr (sizeof(T) == 1 || pixels)
      return make.template operator()<1, Join::any>();
    else
      return nullptr;  // supports_dense_imma() does not take it
  }
  return bytes_needed_by_all(plan) == 1 ? make.template operator()<1, Join::none>()
                                        : make.template operator()<2, Join::none>();
}

template <class T>
std::unique_ptr<Convolver> make_sized(const Plan& plan) {
  switch (square_for(plan)) {
    case 3:
      return make_of_size<T, 3, false>(plan);
    case 5:
      return make_of_size<T, 5, false>(plan);
    case 7:
      return make_of_size<T, 7, false>(plan);
    default:
      return make_of_size<T, largest, false>(plan);
  }
}

// Taps that lie a pixel apart make wide matrices. A row takes one product, however many of its taps
// are there.
template <class T>
std::unique_ptr<Convolver> make_for_pixels(const Plan& plan) {
  int up_or_down = 1;
  for (const Taps& t : plan.terms)
    up_or_down = std::max({up_or_down, t.anchor_y, t.height - 1 - t.anchor_y});
  switch (up_or_down) {
    case 1:
      return make_of_size<T, 3, true>(plan);
    case 2:
      return make_of_size<T, 5, true>(plan);
    default:
      return make_of_size<T, largest, true>(plan);
  }
}

template <class T>
std::unique_ptr<Convolver> make_of(const Plan& plan) {
  return plan.components > 1 ? make_for_pixels<T>(plan) : make_sized<T>(plan);
}

}  // namespace

bool supports_dense_imma(const Plan& plan, const CudaAbilities& abilities) {
  if (!supports_dense(plan) || square_for(plan) > largest) return false;
  if (plan.kept != 0 && !(plan.arith == Arith::int32 && keeps_by_taps(plan))) return false;
  const int bytes = bytes_needed_by_all(plan);
  const bool fits =
      plan.finish.combine == Combine::linear ? bytes != 0 : bytes == 1 && plan.terms.size() == 2;
  if (fits && imma_serves(plan, abilities)) return true;
  // Two matrices of 16-bit samples are faster by other variants, unless their taps lie a pixel
  // apart.
  return fits && (plan.terms.size() == 1 || plan.components > 1) &&
         imma_serves_two_bytes(plan, abilities);
}

std::unique_ptr<Convolver> make_dense_imma(const Plan& plan, int) {
  return plan.sample.storage == Storage::u16 ? make_of<std::uint16_t>(plan)
                                             : make_of<std::uint8_t>(plan);
}

}  // namespace vidconv::cuda
