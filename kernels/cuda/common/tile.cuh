// Loads samples from device memory to shared memory, and on to registers.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "kernels/picture/border.h"
#include "kernels/plan/plan.h"

namespace vidconv::cuda {

// The number of samples in one 16-byte access.
template <class T>
inline constexpr int vector_samples = 16 / static_cast<int>(sizeof(T));

// The number of adjacent samples that one thread computes: one access of 8 or 16 bytes in shared
// memory, which is free of bank conflicts when the threads of a warp lie side by side.
template <class T>
inline constexpr int group = sizeof(T) == 4 ? 4 : 8;

constexpr int round_up(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

// Returns the size of the square around the output sample that holds all of a plan's taps: odd, at
// least 3.
inline int square_for(const Plan& plan) {
  int reach = 1;
  for (const Taps& taps : plan.terms) reach = std::max(reach, taps.reach());
  return 2 * reach + 1;
}

// How a plan's samples are read and written.
struct Sampling {
  BorderMode border;
  int shift;      // shift of the sample type
  float outside;  // the value that BorderMode::constant supplies; codes have at most 16 bits
  static constexpr int components = 1;
};

// Throws std::logic_error where rows are whole pixels: at the border, a kernel for planes would
// take samples of other components for neighbours.
inline Sampling sampling_of(const Plan& plan) {
  if (plan.components != 1) throw std::logic_error("a kernel for planes was given whole pixels");
  return {plan.border, plan.sample.shift, static_cast<float>(plan.outside)};
}

// Sampling where rows are whole pixels (Plan::components). A type of its own, because a test at run
// time made kernels for planes up to an eighth slower.
struct PixelSampling : Sampling {
  int components = 1;
};

inline PixelSampling pixel_sampling_of(const Plan& plan) {
  return {{plan.border, plan.sample.shift, static_cast<float>(plan.outside)}, plan.components};
}

// Returns the type that a kernel for whole pixels, or one for planes, takes.
template <bool pixels>
__device__ inline const std::conditional_t<pixels, PixelSampling, Sampling>& sampling_for(
    const PixelSampling& sampling) {
  return sampling;
}

__device__ inline int thread_index() {
  return static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
}

template <class Plane>
VIDCONV_HD inline bool is_aligned(const Plane& plane, unsigned bytes) {
  return plane.step == 1 && (reinterpret_cast<std::uintptr_t>(plane.data) |
                             static_cast<std::uintptr_t>(plane.stride)) %
                                    bytes ==
                                0;
}

// Returns the codes in 4 or 16 stored bytes.
template <class T>
__device__ inline unsigned shift_down(unsigned stored, int shift) {
  if constexpr (std::is_same_v<T, std::uint16_t>)
    return stored >> shift & (0xFFFFu >> shift) * 0x10001u;
  else
    return stored;
}
template <class T>
__device__ inline uint4 shift_down(uint4 stored, int shift) {
  return {shift_down<T>(stored.x, shift), shift_down<T>(stored.y, shift),
          shift_down<T>(stored.z, shift), shift_down<T>(stored.w, shift)};
}

template <class T, class AnySampling>
__device__ inline T read_code(const Plane<const T>& src, int x, int y, const AnySampling& s) {
  const int u = border_index(s.border, x, src.width, s.components);
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
  int left = 1 << 20;
};

// Calls body(row, column) for all cells of a grid; the threads of the block share them. It is not
// unrolled, because it serves the edges of planes and is a part of most kernels.
template <class Body>
__device__ inline void for_grid(int columns, int rows, Body body) {
  if (columns < 1) return;
  const int threads = static_cast<int>(blockDim.x * blockDim.y);
  const int row_step = threads / columns, column_step = threads % columns;
  int row = thread_index() / columns, column = thread_index() % columns;
#pragma unroll 1
  while (row < rows) {
    body(row, column);
    row += row_step;
    column += column_step;
    if (column >= columns) {
      column -= columns;
      ++row;
    }
  }
}

// The number of samples in a word of 4 bytes.
template <class T>
inline constexpr int word_samples = 4 / static_cast<int>(sizeof(T));

// Returns word_samples<T> stored samples, each `step` after the one before, as one word; `step` is
// at most 4 for bytes and 16-bit samples. Reads whole aligned words: at most 3 samples before the
// first, and as far as the 8th.
template <class T>
__device__ inline unsigned gather_word(const T* from, int step) {
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  const auto* const w = reinterpret_cast<const unsigned*>(address & ~std::uintptr_t{3});
  const unsigned byte = address & 3;
  if constexpr (sizeof(T) == 4) {
    return __ldg(w);
  } else if constexpr (sizeof(T) == 2) {
    const bool upper = byte != 0;
    if (step == 1) return __funnelshift_r(__ldg(w), __ldg(w + 1), 8 * byte);
    // The other sample lies 4, 6 or 8 bytes on.
    const unsigned other = __ldg(w + (step == 2 || (step == 3 && !upper) ? 1 : 2));
    const bool other_upper = step == 3 ? !upper : upper;
    return __byte_perm(__ldg(w), other,
                       (upper ? 0x32u : 0x10u) | (other_upper ? 0x7600u : 0x5400u));
  } else {
    const unsigned w0 = __ldg(w), w1 = __ldg(w + 1);
    if (step == 1) return __funnelshift_r(w0, w1, 8 * byte);
    const unsigned w2 = __ldg(w + 2);
    const unsigned a0 = __funnelshift_r(w0, w1, 8 * byte), a1 = __funnelshift_r(w1, w2, 8 * byte);
    if (step == 2) return __byte_perm(a0, a1, 0x6420);
    const unsigned w3 = __ldg(w + 3);
    if (step == 3)
      return __byte_perm(__byte_perm(a0, a1, 0x0630), __funnelshift_r(w2, w3, 8 * byte), 0x5210);
    const unsigned every_fourth = byte * 0x11u + 0x40u;
    return __byte_perm(__byte_perm(w0, w1, every_fourth), __byte_perm(w2, w3, every_fourth),
                       0x5410);
  }
}

template <class T>
__device__ inline unsigned word_of_outside(const Sampling& s) {
  if constexpr (sizeof(T) == 4)
    return __float_as_uint(s.outside);
  else
    return static_cast<unsigned>(s.outside) * (sizeof(T) == 2 ? 0x10001u : 0x1010101u);
}

// Fills one vector of a tile from 16 bytes at `from`; both are aligned to 16 bytes.
template <class T>
__device__ inline void load_vector(T* to, const T* from, const Sampling& sampling) {
  auto* const vector = reinterpret_cast<uint4*>(to);
  const auto* const stored = reinterpret_cast<const uint4*>(from);
#if __CUDA_ARCH__ >= 800
  if (!std::is_same_v<T, std::uint16_t> || sampling.shift == 0) {
    // Bypasses the registers, so that all of a thread's vectors are under way at once.
    __pipeline_memcpy_async(vector, stored, 16);
    return;
  }
#endif
  *vector = shift_down<T>(__ldg(stored), sampling.shift);
}

// Does load_tile() for a piece that reaches beyond the plane, or whose plane is not aligned.
template <class T, class AnySampling>
__device__ inline void load_any_tile(T* tile, const Piece& piece, const Plane<const T>& src,
                                     const AnySampling& sampling) {
  constexpr int n = vector_samples<T>, m = word_samples<T>;
  const unsigned outside = word_of_outside<T>(sampling);
  const int rows = min(piece.rows, src.height + piece.below - piece.y0);
  const int columns = min(piece.pitch, src.width + piece.right - piece.x0);
  // Columns [first, last) lie inside and are read in whole vectors or words; the others one by one.
  const int begin = max(-piece.left - piece.x0, 0);
  int first = begin, last = begin;
  if (is_aligned(src, 16)) {
    first = round_up(max(-piece.x0, 0), n);
    last = max(first, min(src.width - piece.x0, piece.pitch) / n * n);
    for_grid((last - first) / n, rows, [&](int row, int i) {
      const int v = border_index(sampling.border, piece.y0 + row, src.height);
      const int column = first + i * n;
      T* const to = tile + row * piece.pitch + column;
      if (v >= 0)
        load_vector(to, src.row(v) + piece.x0 + column, sampling);
      else
        *reinterpret_cast<uint4*>(to) = make_uint4(outside, outside, outside, outside);
    });
  } else if (src.step <= 4) {
    // gather_word() reads up to 3 samples before the first, and as far as the 8th.
    first = round_up(max(3 - piece.x0, begin), m);
    last = max(first, min(src.width - piece.x0 - 8 + m, piece.pitch) / m * m);
    for_grid((last - first) / m, rows, [&](int row, int i) {
      const int v = border_index(sampling.border, piece.y0 + row, src.height);
      const int column = first + i * m;
      unsigned word = outside;
      if (v >= 0) {
        const auto x = static_cast<std::ptrdiff_t>(piece.x0 + column);
        word = shift_down<T>(gather_word(src.row(v) + x * src.step, src.step), sampling.shift);
      }
      *reinterpret_cast<unsigned*>(tile + row * piece.pitch + column) = word;
    });
  }
  first = min(first, columns);
  last = min(max(last, first), columns);
  for_grid(first - begin + columns - last, rows, [&](int row, int i) {
    const int column = begin + i < first ? begin + i : begin + i - first + last;
    tile[row * piece.pitch + column] = read_code(src, piece.x0 + column, piece.y0 + row, sampling);
  });
}

template <class T, class AnySampling>
__device__ __noinline__ void call_load_any_tile(T* tile, const Piece& piece,
                                                const Plane<const T>& src,
                                                const AnySampling& sampling) {
  load_any_tile(tile, piece, src, sampling);
}

// How load_tile() contains load_any_tile(). Arguments that a call takes by reference have to lie in
// memory: so kernels of one tile a block are 5 to 15% faster without a call, even where it is never
// made. Kernels that load in a loop, with registers to spare for it, are 10 to 20% faster with it
// (H200).
enum class Rare { inlined, called };

// Fills `tile` with the piece; samples outside the plane follow the border mode. All threads of the
// block take part; the caller synchronises. x0 and pitch are multiples of vector_samples<T>, `tile`
// is aligned to 16 bytes.
template <Rare rare = Rare::inlined, class T, class AnySampling>
__device__ inline void load_tile(T* tile, const Piece& piece, const Plane<const T>& src,
                                 const AnySampling& sampling) {
  constexpr int n = vector_samples<T>;
  const int threads = static_cast<int>(blockDim.x * blockDim.y);
  const int vectors = piece.pitch / n;  // a constant, where the kernel's size is one
  if (is_aligned(src, 16) && piece.x0 >= 0 && piece.y0 >= 0 && vectors <= threads &&
      piece.x0 + piece.pitch <= src.width && piece.y0 + piece.rows <= src.height) {
    const int rows = threads / vectors;  // at once
    int row = thread_index() / vectors;
    const int column = thread_index() % vectors * n;
    if (row < rows) {
      const T* from = src.row(piece.y0 + row) + piece.x0 + column;
      T* to = tile + row * piece.pitch + column;
      const std::ptrdiff_t step = src.stride * rows;
#pragma unroll 4
      for (; row < piece.rows; row += rows) {
        load_vector(to, from, sampling);
        from = reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(from) + step);
        to += rows * piece.pitch;
      }
    }
  } else if constexpr (rare == Rare::called) {
    call_load_any_tile(tile, piece, src, sampling);
  } else {
    load_any_tile(tile, piece, src, sampling);
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

// Turns rows of 16-bit codes into rows of bytes: a row's lower bytes side by side, and its upper
// ones `pitch` bytes behind them. Warps take a row each, their lanes are threadIdx.x; the caller
// synchronises before and after.
template <int pitch>
__device__ inline void split_bytes(std::uint16_t* tile, int rows) {
  constexpr int vectors = pitch / vector_samples<std::uint16_t>;
  static_assert(pitch % vector_samples<std::uint16_t> == 0 && vectors <= 32);
  const int lane = static_cast<int>(threadIdx.x);
  for (int row = static_cast<int>(threadIdx.y); row < rows; row += static_cast<int>(blockDim.y)) {
    std::uint16_t* const at = tile + row * pitch;
    uint4 v{};
    if (lane < vectors) v = reinterpret_cast<const uint4*>(at)[lane];
    __syncwarp();
    if (lane < vectors) {
      auto* const bytes = reinterpret_cast<uint2*>(at);
      bytes[lane] = {__byte_perm(v.x, v.y, 0x6420), __byte_perm(v.z, v.w, 0x6420)};
      bytes[vectors + lane] = {__byte_perm(v.x, v.y, 0x7531), __byte_perm(v.z, v.w, 0x7531)};
    }
  }
}

// Samples of a piece of a plane, wherever they lie: in device or in shared memory.
struct ByteView {
  const std::uint8_t* data;  // sample (0, 0) of the piece
  std::ptrdiff_t stride;     // bytes

  __device__ const std::uint8_t* row(int y) const { return data + y * stride; }
};

// The samples that a block reads: from (x0, y0) on, `width` x `rows`, x0 a multiple of 8. Where the
// plane has them all, and rows are aligned to 8 bytes, they are read in place, without waiting for
// the other warps of the block; else the block copies them into `tile`, whose rows are `pitch` wide
// and begin `lead` samples before x0. In both cases `right`, `below` and `left` are as in Piece.
struct Window {
  int x0, y0, width, rows;
  int lead, pitch;
  int right, below, left;
};
template <class T>
__device__ inline bool lies_inside(const Window& w, const Plane<const T>& src) {
  return is_aligned(src, 8) && w.x0 >= 0 && w.y0 >= 0 && w.x0 + w.width <= src.width &&
         w.y0 + w.rows <= src.height;
}
template <class AnySampling>
__device__ inline ByteView view_window(std::uint8_t* tile, const Window& w,
                                       const Plane<const std::uint8_t>& src,
                                       const AnySampling& sampling) {
  if (lies_inside(w, src)) return {src.row(w.y0) + w.x0, src.stride};
  load_tile(tile, Piece{w.x0 - w.lead, w.y0, w.pitch, w.rows, w.right, w.below, w.left}, src,
            sampling);
  __syncthreads();
  return {tile + w.lead, w.pitch};
}

// Returns code number k of the 4 or 2 in `word`.
template <class Value, class T>
__device__ inline Value extract(unsigned word, int k) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<Value>(__uint_as_float(word));
  } else {
    constexpr bool narrow = sizeof(T) == 1;
    if constexpr (std::is_same_v<Value, float>) {
      // Takes the bits of 2^23 + code: exact, and cheaper than a conversion instruction.
      const unsigned bits =
          __byte_perm(word, 0x4B000000u, narrow ? 0x7440u + k : 0x7410u + 0x22u * k);
      return __uint_as_float(bits) - 8388608.0f;
    } else {
      const unsigned code = __byte_perm(word, 0, narrow ? 0x4440u + k : 0x4410u + 0x22u * k);
      return static_cast<Value>(static_cast<int>(code));
    }
  }
}

// Loads a group of codes from shared memory; `from` is aligned to the group's size.
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
