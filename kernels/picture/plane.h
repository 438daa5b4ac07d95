// Views of pixels: what every way of computing a filter reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define VIDCONV_HD __host__ __device__
#else
#define VIDCONV_HD
#endif

namespace vidconv {

// As the first member of an aggregate, it makes all members be initialised by name.
struct OnlyByName {
  explicit constexpr OnlyByName() = default;
};

// A non-owning view of one component of a picture (Y, U, R, alpha, ...).
//
// T is the sample type, or (const) std::byte where the type is known only at run time; then
// `as<U>()` gives the typed view. A component of an interleaved picture (the U of NV12, the R of
// RGBA) is a view whose `step` is the number of samples from one pixel to the next.
//
// Numbers that could be mistaken for one another are given by name:
//   Plane<const std::uint8_t> luma{.data = first, .stride = pitch, .width = 1920, .height = 1080};
template <class T>
struct Plane {
  [[no_unique_address]] OnlyByName only_by_name = OnlyByName();
  T* data = nullptr;          // sample (0, 0)
  std::ptrdiff_t stride = 0;  // bytes from one row to the next; may be negative
  int width = 0;              // samples
  int height = 0;             // rows
  int step = 1;               // samples from one pixel to the next in a row

  template <class U>
  VIDCONV_HD Plane<U> as() const {
    return at(reinterpret_cast<U*>(data));
  }

  // Returns a plane of the same shape at another address.
  template <class U>
  VIDCONV_HD Plane<U> at(U* other) const {
    return {.data = other, .stride = stride, .width = width, .height = height, .step = step};
  }

  VIDCONV_HD T* row(int y) const {
    using Address = std::uintptr_t;
    return reinterpret_cast<T*>(reinterpret_cast<Address>(data) + static_cast<Address>(stride * y));
  }
};

using ConstBytePlane = Plane<const std::byte>;
using BytePlane = Plane<std::byte>;
// Host and device pass planes to each other and must agree on their layout.
static_assert(sizeof(BytePlane) == sizeof(std::byte*) + sizeof(std::ptrdiff_t) + 4 * sizeof(int));

// One plane to read and the plane of the same size to write; they must not overlap.
struct PlanePair {
  ConstBytePlane src;
  BytePlane dst;
  // Whether samples are only to be copied. They lie in the pixels of the pairs before; for
  // convolvers that copy in passing (Convolver::copies_in_passing()).
  bool copied = false;
};

enum class Storage : std::uint8_t { u8, u16, f32 };

// How a sample lies in memory: a code of `depth` bits, stored `shift` bits up in native byte order
// (P010 keeps 10 bits in the upper end of 16). f32 samples have depth 32 and no shift. Stored codes
// above max() are invalid: results that depend on them may be any code, and differ between
// variants.
struct SampleType {
  Storage storage = Storage::u8;
  int depth = 8;
  int shift = 0;

  // Returns the largest code; 1 for f32, whose nominal range is 0 to 1.
  constexpr int max() const { return storage == Storage::f32 ? 1 : (1 << depth) - 1; }
  constexpr int bytes() const {
    return storage == Storage::u8 ? 1 : storage == Storage::u16 ? 2 : 4;
  }
  // Returns the code of "no colour" in a chroma plane.
  constexpr double neutral() const {
    return storage == Storage::f32 ? 0.0 : static_cast<double>(1 << (depth - 1));
  }
  bool operator==(const SampleType&) const = default;
};

}  // namespace vidconv
