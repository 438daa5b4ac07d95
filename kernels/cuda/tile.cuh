// From device memory to shared memory and on to registers.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstdint>
#include <type_traits>

#include "kernels/border.h"
#include "kernels/plan.h"

namespace vidconv::cuda {

// Samples in one 16-byte access.
template <class T>
inline constexpr int vector_samples = 16 / static_cast<int>(sizeof(T));

// Adjacent samples that one thread computes: one access of 8 or 16 bytes in shared memory, which
// is free of bank conflicts when the threads of a warp lie side by side.
template <class T>
inline constexpr int group = sizeof(T) == 4 ? 4 : 8;

constexpr int round_up(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

// How a plan's samples are read and written.
struct Sampling {
  BorderMode border;
  int shift;      // of the sample type
  float outside;  // what BorderMode::constant supplies; codes have at most 16 bits
};

inline Sampling sampling_of(const Plan& plan) {
  return {plan.border, plan.sample.shift, static_cast<float>(plan.outside)};
}

__device__ inline int thread_index() {
  return static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
}

template <class Plane>
__device__ inline bool is_aligned(const Plane& plane, unsigned bytes) {
  return plane.step == 1 && (reinterpret_cast<std::uintptr_t>(plane.data) |
                             static_cast<std::uintptr_t>(plane.stride)) %
                                    bytes ==
                                0;
}

// Codes from 16 stored bytes.
template <class T>
__device__ inline uint4 shift_down(uint4 stored, int shift) {
  if constexpr (std::is_same_v<T, std::uint16_t>) {
    const unsigned mask = (0xFFFFu >> shift) * 0x10001u;
    return {stored.x >> shift & mask, stored.y >> shift & mask, stored.z >> shift & mask,
            stored.w >> shift & mask};
  } else {
    return stored;
  }
}

template <class T>
__device__ inline T read_code(const Plane<const T>& src, int x, int y, const Sampling& s) {
  const int u = border_index(s.border, x, src.width);
  const int v = border_index(s.border, y, src.height);
  if (u < 0 || v < 0) return static_cast<T>(s.outside);
  const T stored = __ldg(src.row(v) + static_cast<std::ptrdiff_t>(u) * src.step);
  if constexpr (std::is_same_v<T, float>)
    return stored;
  else
    return static_cast<T>(stored >> s.shift);
}

// The piece of a plane that a block works from: `rows` rows of `pitch` codes from (x0, y0) on.
struct Piece {
  int x0, y0;
  int pitch, rows;
  int right, below;  // how far outputs look: what lies further outside the plane is left undefined
};

// Fills `tile` with the piece, what lies outside the plane as the border says. All threads of the
// block take part; the caller synchronises. x0 and pitch are multiples of vector_samples<T>, `tile`
// is aligned to 16 bytes.
template <class T>
__device__ inline void load_tile(T* tile, const Piece& piece, const Plane<const T>& src,
                                 const Sampling& sampling) {
  constexpr int n = vector_samples<T>;
  const int threads = static_cast<int>(blockDim.x * blockDim.y);
  const bool aligned = is_aligned(src, 16);
  const int rows = min(piece.rows, src.height + piece.below - piece.y0);
  const int columns = min(piece.pitch, src.width + piece.right - piece.x0);
  const auto load_vector = [&](int row, int column, const T* from) {
    auto* const to = reinterpret_cast<uint4*>(tile + row * piece.pitch + column);
    const auto* const vector = reinterpret_cast<const uint4*>(from + piece.x0 + column);
#if __CUDA_ARCH__ >= 800
    if constexpr (!std::is_same_v<T, std::uint16_t>) {
      // Past the registers, so that all of a thread's vectors are under way at once.
      __pipeline_memcpy_async(to, vector, 16);
      return;
    }
#endif
    *to = shift_down<T>(__ldg(vector), sampling.shift);
  };

  if (aligned && piece.x0 >= 0 && piece.y0 >= 0 && piece.x0 + piece.pitch <= src.width &&
      piece.y0 + piece.rows <= src.height) {
    const int vectors = piece.pitch / n;  // a constant, where the kernel's size is one
#pragma unroll 4
    for (int i = thread_index(); i < vectors * piece.rows; i += threads)
      load_vector(i / vectors, i % vectors * n, src.row(piece.y0 + i / vectors));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    return;
  }

  // Columns [first, last) lie inside, in whole vectors; the others are read one by one.
  int first = 0, last = 0;
  if (aligned) {
    first = round_up(max(-piece.x0, 0), n);
    last = max(first, (min(src.width - piece.x0, piece.pitch)) / n * n);
  }
  const int vectors = (last - first) / n;
  for (int i = thread_index(); i < vectors * rows; i += threads) {
    const int row = i / vectors, column = first + i % vectors * n;
    const int v = border_index(sampling.border, piece.y0 + row, src.height);
    if (v >= 0)
      load_vector(row, column, src.row(v));
    else
      for (int k = 0; k < n; ++k)
        tile[row * piece.pitch + column + k] = static_cast<T>(sampling.outside);
  }
  const int single = columns - min(last, columns) + min(first, columns);
#pragma unroll 4
  for (int i = thread_index(); i < single * rows; i += threads) {
    const int row = i / single;
    int column = i % single;
    if (column >= first) column += last - first;
    tile[row * piece.pitch + column] = read_code(src, piece.x0 + column, piece.y0 + row, sampling);
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

// Samples of a piece of a plane, wherever they lie: in device or in shared memory.
struct ByteView {
  const std::uint8_t* data;  // sample (0, 0) of the piece
  std::ptrdiff_t stride;     // bytes

  __device__ const std::uint8_t* row(int y) const { return data + y * stride; }
};

// The samples that a block reads: from (x0, y0) on, `width` x `rows`, x0 a multiple of 8. Where the
// plane has them all, and rows aligned to 8 bytes, they are read where they are, without waiting
// for the other warps of the block; else the block copies them into `tile`, whose rows are `pitch`
// wide and begin `lead` samples before x0. In both cases `right` and `below` are as in Piece.
struct Window {
  int x0, y0, width, rows;
  int lead, pitch;
  int right, below;
};
__device__ inline ByteView view_window(std::uint8_t* tile, const Window& w,
                                       const Plane<const std::uint8_t>& src,
                                       const Sampling& sampling) {
  if (is_aligned(src, 8) && w.x0 >= 0 && w.y0 >= 0 && w.x0 + w.width <= src.width &&
      w.y0 + w.rows <= src.height)
    return {src.row(w.y0) + w.x0, src.stride};
  load_tile(tile, Piece{w.x0 - w.lead, w.y0, w.pitch, w.rows, w.right, w.below}, src, sampling);
  __syncthreads();
  return {tile + w.lead, w.pitch};
}

// Code number k of the 4 or 2 in `word`.
template <class Value, class T>
__device__ inline Value extract(unsigned word, int k) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<Value>(__uint_as_float(word));
  } else {
    constexpr bool narrow = sizeof(T) == 1;
    if constexpr (std::is_same_v<Value, float>) {
      // The bits of 2^23 + code: exact, and cheaper than a conversion instruction.
      const unsigned bits =
          __byte_perm(word, 0x4B000000u, narrow ? 0x7440u + k : 0x7410u + 0x22u * k);
      return __uint_as_float(bits) - 8388608.0f;
    } else {
      const unsigned code = __byte_perm(word, 0, narrow ? 0x4440u + k : 0x4410u + 0x22u * k);
      return static_cast<Value>(static_cast<int>(code));
    }
  }
}

// A group of codes from shared memory; `from` is aligned to the group's size.
template <class Value, class T>
__device__ inline void load_group(Value* to, const T* from) {
  constexpr int words = group<T> * static_cast<int>(sizeof(T)) / 4;
  constexpr int per_word = 4 / static_cast<int>(sizeof(T));
  unsigned word[words];
  if constexpr (words == 2) {
    const uint2 v = *reinterpret_cast<const uint2*>(from);
    word[0] = v.x, word[1] = v.y;
  } else {
    const uint4 v = *reinterpret_cast<const uint4*>(from);
    word[0] = v.x, word[1] = v.y, word[2] = v.z, word[3] = v.w;
  }
#pragma unroll
  for (int i = 0; i < group<T>; ++i) to[i] = extract<Value, T>(word[i / per_word], i % per_word);
}

}  // namespace vidconv::cuda
