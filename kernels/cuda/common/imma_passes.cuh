// The two passes of cuda-separable-imma: the taps, samples and sums that a lane holds.
#pragma once

#include <vector>

#include "kernels/cuda/common/imma.cuh"
#include "kernels/cuda/common/imma_orders.h"
#include "kernels/cuda/common/tile.cuh"

namespace vidconv::cuda {

// Returns how far taps may reach where windows are `chunks` times 16 samples.
constexpr int radius(int chunks) { return 8 * (chunks - 1); }
inline constexpr int most_chunks = 4;

// Returns how many registers of A one byte of a pass's taps takes: 4 for each 32 samples, 2 for 16.
constexpr int tap_words(int chunks) { return 2 * chunks; }

template <int chunks, int bytes>
struct PassTaps {
  static constexpr int vectors = (tap_words(chunks) + 3) / 4;
  unsigned a[bytes][4 * vectors];

  __device__ explicit PassTaps(const uint4* from) {
#pragma unroll
    for (int byte = 0; byte < bytes; ++byte)
#pragma unroll
      for (int i = 0; i < vectors; ++i) {
        const uint4 v = __ldg(from + (byte * vectors + i) * warp_size + threadIdx.x);
        a[byte][4 * i] = v.x, a[byte][4 * i + 1] = v.y;
        a[byte][4 * i + 2] = v.z, a[byte][4 * i + 3] = v.w;
      }
  }

  // Returns sums + byte `byte` of the taps times a window; b[c] are the lane's 4 bytes of chunk c.
  template <int byte>
  __device__ Sums multiply_add(const unsigned* b, Sums sums) const {
    using Byte = std::conditional_t<byte == 0, std::int8_t, std::uint8_t>;
    const unsigned* const t = a[byte];
#pragma unroll
    for (int c = 0; c + 1 < chunks; c += 2)
      sums = mma32<Byte, std::uint8_t>(t[2 * c], t[2 * c + 1], t[2 * c + 2], t[2 * c + 3], b[c],
                                       b[c + 1], sums);
    if constexpr (chunks % 2 == 1)
      sums = mma16<Byte, std::uint8_t>(t[2 * chunks - 2], t[2 * chunks - 1], b[chunks - 1], sums);
    return sums;
  }
};

// Loads the lane's samples of a window, which is its row's bytes from `from` on.
template <int chunks>
__device__ void load_window(unsigned (&b)[chunks], const std::uint8_t* from, int q) {
#pragma unroll
  for (int c = 0; c + 1 < chunks; c += 2) {
    const uint2 v = *reinterpret_cast<const uint2*>(from + chunk_offset(c, q, chunks));
    b[c] = v.x, b[c + 1] = v.y;
  }
  if constexpr (chunks % 2 == 1)
    b[chunks - 1] = *reinterpret_cast<const unsigned*>(from + chunk_offset(chunks - 1, q, chunks));
}

// Loads the lane's samples of a window of 16-bit samples: their lower and upper bytes.
template <int chunks>
__device__ void load_window(unsigned (&low)[chunks], unsigned (&high)[chunks],
                            const std::uint16_t* from, int q) {
  constexpr unsigned lower = 0x6420, upper = 0x7531;
#pragma unroll
  for (int c = 0; c + 1 < chunks; c += 2) {
    const uint4 v = *reinterpret_cast<const uint4*>(from + chunk_offset(c, q, chunks));
    low[c] = __byte_perm(v.x, v.y, lower), low[c + 1] = __byte_perm(v.z, v.w, lower);
    high[c] = __byte_perm(v.x, v.y, upper), high[c + 1] = __byte_perm(v.z, v.w, upper);
  }
  if constexpr (chunks % 2 == 1) {
    const uint2 v = *reinterpret_cast<const uint2*>(from + chunk_offset(chunks - 1, q, chunks));
    low[chunks - 1] = __byte_perm(v.x, v.y, lower);
    high[chunks - 1] = __byte_perm(v.x, v.y, upper);
  }
}

// Sums of 16 rows that wait for the column pass, for columns g (half 0) and g + 8 (half 1): the
// lower and upper bytes of the rows between_row().
struct Between {
  unsigned low[2], high[2];
};

// `shift` is the number of bits below the bytes that split() keeps: 0, 8, or any_shift for
// `row_shift`.
inline constexpr int any_shift = -1;
template <int shift>
__device__ Between split(Sums upper_rows, Sums lower_rows, int row_shift) {
  if constexpr (shift == any_shift) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      upper_rows.v[i] >>= row_shift;
      lower_rows.v[i] >>= row_shift;
    }
  }
  constexpr unsigned bytes_to_keep = bytes_of_sums(shift == 8 ? 1 : 0);
  Between out;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const unsigned u =
        __byte_perm(upper_rows.v[2 * half], upper_rows.v[2 * half + 1], bytes_to_keep);
    const unsigned l =
        __byte_perm(lower_rows.v[2 * half], lower_rows.v[2 * half + 1], bytes_to_keep);
    out.low[half] = __byte_perm(u, l, lower_bytes);
    out.high[half] = __byte_perm(u, l, upper_bytes);
  }
  return out;
}

template <int chunks, int bytes>
__device__ Sums column_sums(const PassTaps<chunks, bytes>& taps, const unsigned* low,
                            const unsigned* high, std::int32_t start) {
  Sums sums = taps.template multiply_add<0>(high, all(0));
  if constexpr (bytes == 2) {
    sums = next_byte(sums, 0);
    sums = taps.template multiply_add<0>(low, sums);
    sums = taps.template multiply_add<1>(high, sums);
    sums = next_byte(sums, start);
    return taps.template multiply_add<1>(low, sums);
  } else {
    return taps.template multiply_add<0>(low, next_byte(sums, start));
  }
}

// Appends A of one pass for every lane, as PassTaps reads it. offset(m) is where output m lies in
// its square, slot(k) where operand row k of B lies in the window.
template <class Offset, class Slot>
void append_taps(std::vector<unsigned>& out, const std::vector<double>& taps, int anchor,
                 int chunks, int bytes, Offset offset, Slot slot) {
  const int words = round_up(tap_words(chunks), 4);
  const auto tap = [&](int m, int k) {
    const int i = slot(k) - offset(m) - radius(chunks) + anchor;
    return i < 0 || i >= static_cast<int>(taps.size())
               ? 0
               : static_cast<int>(taps[static_cast<std::size_t>(i)]);
  };
  for (int byte = 0; byte < bytes; ++byte)
    for (int vector = 0; vector < words / 4; ++vector)
      for (int lane = 0; lane < warp_size; ++lane)
        for (int w = 0; w < 4; ++w) {
          const int word = 4 * vector + w;
          unsigned packed = 0;
          for (int b = 0; b < 4 && word < tap_words(chunks); ++b) {
            const int m = lane / 4 + word % 2 * 8, k = word / 2 * 16 + lane % 4 * 4 + b;
            packed |= byte_of(tap(m, k), byte, bytes) << (8 * b);
          }
          out.push_back(packed);
        }
}

}  // namespace vidconv::cuda
