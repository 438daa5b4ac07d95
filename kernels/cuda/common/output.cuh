// Stores responses from registers as samples in device memory.
#pragma once

#include "kernels/cuda/common/tile.cuh"
#include "kernels/plan/finish.h"

namespace vidconv::cuda {

// Packs 4 / sizeof(T) samples side by side, as they lie in memory.
__device__ inline unsigned pack(const std::uint8_t* c) {
  return __byte_perm(__byte_perm(c[0], c[1], 0x0040), __byte_perm(c[2], c[3], 0x0040), 0x5410);
}
__device__ inline unsigned pack(const std::uint16_t* c) { return __byte_perm(c[0], c[1], 0x5410); }
__device__ inline unsigned pack(const float* c) { return __float_as_uint(*c); }

// Stores `count` codes (4 or 8, at most 16 bytes) from (x, y) on, as far as the plane reaches.
// `aligned` is is_aligned(dst, count * sizeof(T)); x is a multiple of `count`.
template <int count, class T>
__device__ inline void store(const Plane<T>& dst, int x, int y, T* codes, int shift, bool aligned) {
  if constexpr (std::is_same_v<T, std::uint16_t>)
    for (int i = 0; i < count; ++i) codes[i] = static_cast<T>(codes[i] << shift);
  T* const to = dst.row(y) + static_cast<std::ptrdiff_t>(x) * dst.step;
  if (aligned && x + count <= dst.width) {
    constexpr int words = count * static_cast<int>(sizeof(T)) / 4;
    constexpr int per_word = 4 / static_cast<int>(sizeof(T));
    unsigned word[words];
#pragma unroll
    for (int i = 0; i < words; ++i) word[i] = pack(codes + i * per_word);
    if constexpr (words == 1)
      *reinterpret_cast<unsigned*>(to) = word[0];
    else if constexpr (words == 2)
      *reinterpret_cast<uint2*>(to) = make_uint2(word[0], word[1]);
    else
      *reinterpret_cast<uint4*>(to) = make_uint4(word[0], word[1], word[2], word[3]);
  } else {
#pragma unroll
    for (int i = 0; i < count; ++i)
      if (x + i < dst.width) to[static_cast<std::ptrdiff_t>(i) * dst.step] = codes[i];
  }
}

// Stores the samples of 2 adjacent columns one by one, as far as the plane reaches.
template <class T>
__device__ inline void store_two(const Plane<T>& dst, int x, int y, unsigned samples) {
  T* const to = dst.row(y) + static_cast<std::ptrdiff_t>(x) * dst.step;
  if (x < dst.width) *to = static_cast<T>(samples);
  if (x + 1 < dst.width) to[dst.step] = static_cast<T>(samples >> (8 * sizeof(T)));
}

// Calls body(finish) so that the compiler makes a short version of it for the usual case, in which
// no absolute value is taken. Filters with one kernel alone: responses are not combined.
template <class Body>
__device__ inline void with_finish(const Finish& finish, Body body) {
  if (!finish.absolute) {
    Finish usual = finish;
    usual.absolute = false;
    body(usual);
  } else {
    body(finish);
  }
}

// Stores a thread's codes, which are code_at(x, y): for the `columns` x `strip` samples whose first
// lies at (x0, y0), as far as the plane reaches. x0 is a multiple of `columns`.
template <int columns, int strip, class T, class CodeAt>
__device__ inline void store_codes(const Plane<T>& dst, int x0, int y0, const Sampling& sampling,
                                   CodeAt code_at) {
  if (x0 >= dst.width) return;
  const bool aligned = is_aligned(dst, columns * sizeof(T));
#pragma unroll
  for (int y = 0; y < strip; ++y) {
    if (y0 + y >= dst.height) break;
    T codes[columns];
#pragma unroll
    for (int x = 0; x < columns; ++x) codes[x] = code_at(x, y);
    store<columns>(dst, x0, y0 + y, codes, sampling.shift, aligned);
  }
}

// Finishes and stores the responses of a filter with one kernel, response_at(x, y).
template <int columns, int strip, class T, class ResponseAt>
__device__ inline void store_outputs(const Plane<T>& dst, int x0, int y0, const Sampling& sampling,
                                     const Finish& finish, ResponseAt response_at) {
  with_finish(finish, [&](const Finish& f) {
    store_codes<columns, strip>(dst, x0, y0, sampling, [&](int x, int y) {
      return finish_response<T>(f, response_at(x, y));
    });
  });
}

// Does the same for responses that were combined. Norms come row by row from local memory: their
// roots and divisions are long, and would be most of the kernel if unrolled.
template <int columns, int strip, class T, class Acc>
__device__ inline void store_combined(const Plane<T>& dst, int x0, int y0, const Sampling& sampling,
                                      const Finish& finish,
                                      const Combined<Acc> (&combined)[strip][columns]) {
  if (finish.combine != Combine::l2) {
    store_codes<columns, strip>(dst, x0, y0, sampling, [&](int x, int y) {
      return finish_response<T>(finish, combined[y][x].value());
    });
    return;
  }
  Combined<Acc> norms[strip][columns];
#pragma unroll
  for (int y = 0; y < strip; ++y)
#pragma unroll
    for (int x = 0; x < columns; ++x) norms[y][x] = combined[y][x];
#pragma unroll 1
  for (int row = 0; row < strip && y0 + row < dst.height; ++row)
    store_codes<columns, 1>(dst, x0, y0 + row, sampling, [&](int x, int) {
      return norms[row][x].template finish_norm<T>(finish);
    });
}

}  // namespace vidconv::cuda
