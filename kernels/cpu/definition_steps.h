// The steps of every definition of sums: from what is stored to a number, and back. Acc is the
// arithmetic (std::int32_t, float or double), T the sample type.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "kernels/picture/plane.h"

namespace vidconv {

template <class Acc, class T>
Acc value_of(T stored, const SampleType& sample) {
  if constexpr (std::is_same_v<T, float>)
    return static_cast<Acc>(stored);
  else
    return static_cast<Acc>(stored >> sample.shift);
}

template <class T>
T stored_code(T code, const SampleType& sample) {
  if constexpr (std::is_same_v<T, float>)
    return code;
  else
    return static_cast<T>(code << sample.shift);
}

template <class Acc>
Acc multiply_add(double tap, Acc x, Acc sum) {
  if constexpr (std::is_same_v<Acc, std::int32_t>)
    return static_cast<Acc>(tap) * x + sum;
  else
    return std::fma(static_cast<Acc>(tap), x, sum);
}

}  // namespace vidconv
