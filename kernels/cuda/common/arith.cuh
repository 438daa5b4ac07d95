// The arithmetics of docs/numerics.md as device code, and the choice of one for a plan.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "kernels/plan/plan.h"

namespace vidconv::cuda {

// Value is the type of taps and sums, Response the type that finish() takes. `ordered` says that
// the order of additions is part of the definition.

// Integers whose sums stay below 2^24, so that full-rate float instructions compute them exactly.
struct ExactFloat {
  using Value = float;
  using Response = std::int32_t;
  static constexpr bool ordered = false;
};
struct Integer {
  using Value = std::int32_t;
  using Response = std::int32_t;
  static constexpr bool ordered = false;
};
struct OrderedFloat {
  using Value = float;
  using Response = float;
  static constexpr bool ordered = true;
};
struct OrderedDouble {
  using Value = double;
  using Response = double;
  static constexpr bool ordered = true;
};

__device__ inline float multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ inline double multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }
__device__ inline std::int32_t multiply_add(std::int32_t a, std::int32_t b, std::int32_t c) {
  // Wraps modulo 2^32: sums on the way may leave the range that the result lies in.
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b) +
                                   static_cast<std::uint32_t>(c));
}

__device__ inline float add(float a, float b) { return a + b; }
__device__ inline double add(double a, double b) { return a + b; }
__device__ inline std::int32_t add(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

template <class Arith>
__device__ inline typename Arith::Response to_response(typename Arith::Value sum) {
  if constexpr (std::is_same_v<Arith, ExactFloat>)
    return __float2int_rn(sum);
  else
    return sum;
}

// Returns make.operator()<T, Arith>() for the sample type and the arithmetic of `plan`.
template <class Make>
auto with_types(const Plan& plan, Make make) {
  const auto with_arith = [&]<class T>() {
    switch (plan.arith) {
      case Arith::int32:
        return plan.fits24 ? make.template operator()<T, ExactFloat>()
                           : make.template operator()<T, Integer>();
      case Arith::float32:
        return make.template operator()<T, OrderedFloat>();
      case Arith::float64:
        return make.template operator()<T, OrderedDouble>();
    }
    throw std::invalid_argument("unknown arithmetic");
  };
  switch (plan.sample.storage) {
    case Storage::u8:
      return with_arith.template operator()<std::uint8_t>();
    case Storage::u16:
      return with_arith.template operator()<std::uint16_t>();
    case Storage::f32:
      return plan.arith == Arith::float64 ? make.template operator()<float, OrderedDouble>()
                                          : make.template operator()<float, OrderedFloat>();
  }
  throw std::invalid_argument("unknown sample type");
}

}  // namespace vidconv::cuda
