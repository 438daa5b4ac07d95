#include "kernels/reference.h"

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace vidconv {
namespace {

// Acc is the arithmetic: std::int32_t, float or double. T is the sample type.
template <class Acc, class T>
class Definition {
 public:
  Definition(const Plan& plan, Plane<const T> src) : plan_(plan), src_(src) {}

  T sample(int x, int y) const {
    std::vector<Acc> responses;
    for (const Taps& taps : plan_.terms) {
      const Acc response = taps.dense.empty() ? two_passes(taps, x, y) : dense(taps, x, y);
      if (taps.joins)
        responses.back() = responses.back() + response;
      else
        responses.push_back(response);
    }
    const T code = finish<T>(plan_.finish, responses.data(), static_cast<int>(responses.size()));
    if constexpr (std::is_same_v<T, float>)
      return code;
    else
      return static_cast<T>(code << plan_.sample.shift);
  }

 private:
  // The sample at (x, y), which may lie outside the picture.
  Acc pixel(int x, int y) const {
    const int u = border_index(plan_.border, x, src_.width);
    const int v = border_index(plan_.border, y, src_.height);
    if (u < 0 || v < 0) return static_cast<Acc>(plan_.outside);
    const T stored = src_.row(v)[static_cast<std::ptrdiff_t>(u) * src_.step];
    if constexpr (std::is_same_v<T, float>)
      return static_cast<Acc>(stored);
    else
      return static_cast<Acc>(stored >> plan_.sample.shift);
  }

  static Acc multiply_add(double tap, Acc x, Acc sum) {
    if constexpr (std::is_same_v<Acc, std::int32_t>)
      return static_cast<Acc>(tap) * x + sum;
    else
      return std::fma(static_cast<Acc>(tap), x, sum);
  }

  // The taps of one kernel row (or of `row`) over the samples from (x, y) on.
  Acc row_sum(const double* taps, int width, int x, int y) const {
    Acc sum = 0;
    for (int i = 0; i < width; ++i) sum = multiply_add(taps[i], pixel(x + i, y), sum);
    return sum;
  }

  Acc dense(const Taps& t, int x, int y) const {
    Acc sum = 0;
    const double* taps = t.dense.data();
    for (int j = 0; j < t.height; ++j, taps += t.width)
      sum = sum + row_sum(taps, t.width, x - t.anchor_x, y - t.anchor_y + j);
    return sum;
  }

  Acc two_passes(const Taps& t, int x, int y) const {
    Acc sum = 0;
    for (int j = 0; j < t.height; ++j) {
      Acc between = row_sum(t.row.data(), t.width, x - t.anchor_x, y - t.anchor_y + j);
      if constexpr (std::is_same_v<Acc, std::int32_t>)
        between = (between + (1 << t.row_shift >> 1)) >> t.row_shift;
      sum = multiply_add(t.column[static_cast<std::size_t>(j)], between, sum);
    }
    return sum;
  }

  const Plan& plan_;
  Plane<const T> src_;
};

class Reference final : public Convolver {
 public:
  Reference(const Plan& plan, int threads) : plan_(plan), threads_(threads) {}

  void run(std::span<const PlanePair> pairs, CudaStream) override {
    for (const PlanePair& pair : pairs) {
      switch (plan_.arith) {
        case Arith::int32:
          with_arith<std::int32_t>(pair);
          break;
        case Arith::float32:
          with_arith<float>(pair);
          break;
        case Arith::float64:
          with_arith<double>(pair);
          break;
      }
    }
  }

 private:
  template <class Acc>
  void with_arith(const PlanePair& pair) const {
    switch (plan_.sample.storage) {
      case Storage::u8:
        compute<Acc, std::uint8_t>(pair);
        break;
      case Storage::u16:
        compute<Acc, std::uint16_t>(pair);
        break;
      case Storage::f32:
        compute<Acc, float>(pair);
        break;
    }
  }

  template <class Acc, class T>
  void compute(const PlanePair& pair) const {
    const Definition<Acc, T> definition(plan_, pair.src.as<const T>());
    const Plane<T> dst = pair.dst.as<T>();
#pragma omp parallel for num_threads(threads_)
    for (int y = 0; y < dst.height; ++y)
      for (int x = 0; x < dst.width; ++x)
        dst.row(y)[static_cast<std::ptrdiff_t>(x) * dst.step] = definition.sample(x, y);
  }

  Plan plan_;
  [[maybe_unused]] int threads_;  // of OpenMP, where there is one
};

}  // namespace

std::unique_ptr<Convolver> make_reference(const Plan& plan, int threads) {
  return std::make_unique<Reference>(plan, threads);
}

}  // namespace vidconv
