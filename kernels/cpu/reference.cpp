#include "kernels/cpu/reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <vector>

#include "kernels/convolver/convolver.h"
#include "kernels/cpu/definition_steps.h"
#include "kernels/cpu/time_reference.h"
#include "kernels/cpu/weighted_reference.h"
#include "kernels/plan/pairwise.h"

namespace vidconv {
namespace {

// Acc is the arithmetic: std::int32_t, float or double. T is the sample type.
template <class Acc, class T>
class Definition {
 public:
  Definition(const Plan& plan, Plane<const T> src) : plan_(plan), src_(src) {}

  T sample(int x, int y) const {
    if (plan_.keeps(x)) return src_.row(y)[static_cast<std::ptrdiff_t>(x) * src_.step];
    auto term = plan_.terms.begin();
    const auto next_kernel = [&] {
      Acc sum = response(*term, x, y);
      while (++term != plan_.terms.end() && term->joins) sum = sum + response(*term, x, y);
      return sum;
    };
    Combined<Acc> combined;
    combined.first(plan_.finish, next_kernel());
    while (term != plan_.terms.end()) combined.add(plan_.finish, next_kernel());
    return stored_code(combined.template finish<T>(plan_.finish), plan_.sample);
  }

 private:
  // Returns the sample at (x, y), which may lie outside the picture.
  Acc pixel(int x, int y) const {
    const int u = border_index(plan_.border, x, src_.width, plan_.components);
    const int v = border_index(plan_.border, y, src_.height);
    if (u < 0 || v < 0) return static_cast<Acc>(plan_.outside);
    return value_of<Acc>(src_.row(v)[static_cast<std::ptrdiff_t>(u) * src_.step], plan_.sample);
  }

  // Returns the sum of one kernel row's taps (or of `row`) over the samples from (x, y) on.
  Acc row_sum(const double* taps, int width, int x, int y) const {
    Acc sum = 0;
    for (int i = 0; i < width; ++i) sum = multiply_add(taps[i], pixel(x + i, y), sum);
    return sum;
  }

  Acc response(const Taps& t, int x, int y) const {
    if constexpr (std::is_same_v<Acc, float>)
      if (t.pairwise) return pairwise(t, x - t.anchor_x, y - t.anchor_y);
    return t.dense.empty() ? two_passes(t, x, y) : dense(t, x, y);
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

  // Returns the sum of equal taps; (x, y) is under the first one.
  Acc pairwise(const Taps& t, int x, int y) const {
    const auto row_sum = [&](int v) {
      return pairwise_sum(t.width, x, [&](int u) { return pixel(u, v); });
    };
    return static_cast<Acc>(t.column[0]) * pairwise_sum(t.height, y, row_sum);
  }

  const Plan& plan_;
  Plane<const T> src_;
};

// Computes plans without taps.
template <class T>
class Plain {
 public:
  Plain(const Plan& plan, Plane<const T> src, Plane<T> dst) : plan_(plan), src_(src), dst_(dst) {}

  // A row of samples, or of blocks.
  int rows() const { return mosaic() ? plan_.blocks.down.blocks(src_.height) : src_.height; }
  void make_row(int row) const {
    if (mosaic()) return make_blocks(row);
    for (int x = 0; x < dst_.width; ++x)
      dst_.row(row)[at(dst_, x)] = plan_.fill ? as_stored(*plan_.fill) : src_.row(row)[at(src_, x)];
  }

 private:
  bool mosaic() const { return plan_.operation() == Operation::mosaic; }

  static std::ptrdiff_t at(const auto& plane, int x) { return std::ptrdiff_t{x} * plane.step; }

  T as_stored(double value) const {
    if constexpr (std::is_same_v<T, float>)
      return static_cast<float>(value);
    else
      return static_cast<T>(static_cast<unsigned>(value) << plan_.sample.shift);
  }

  void make_blocks(int row) const {
    const auto [across, down] = plan_.blocks;
    const int top = down.begin(row, src_.height), bottom = down.end(row, src_.height);
    if (top == bottom) return;
    for (int column = 0; column < across.blocks(src_.width); ++column) {
      const int left = across.begin(column, src_.width), right = across.end(column, src_.width);
      if (left == right) continue;
      const T value = mean(left, top, right, bottom);
      for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) dst_.row(y)[at(dst_, x)] = value;
    }
  }

  T mean(int left, int top, int right, int bottom) const {
    using Sum = std::conditional_t<std::is_same_v<T, float>, double, std::uint64_t>;
    Sum sum = 0;
    for (int y = top; y < bottom; ++y) {
      Sum of_row = 0;
      for (int x = left; x < right; ++x) {
        const T stored = src_.row(y)[at(src_, x)];
        if constexpr (std::is_same_v<T, float>)
          of_row += static_cast<double>(stored);
        else
          of_row += static_cast<unsigned>(stored) >> plan_.sample.shift;
      }
      sum += of_row;
    }
    const int count = (right - left) * (bottom - top);
    if constexpr (std::is_same_v<T, float>)
      return mean_float(sum, count);
    else
      return as_stored(std::clamp(mean_code(sum, static_cast<std::uint64_t>(count)),
                                  plan_.finish.min, plan_.finish.max));
  }

  const Plan& plan_;
  const Plane<const T> src_;
  const Plane<T> dst_;
};

class Reference final : public Convolver {
 public:
  Reference(const Plan& plan, int threads) : plan_(plan), threads_(threads) {}

  void run(std::span<const PlanePair> pairs, CudaStream) override {
    if (plan_.operation() != Operation::sums) return without_taps(pairs);
    switch (plan_.arith) {
      case Arith::int32:
        return with_arith<std::int32_t>(pairs);
      case Arith::float32:
        return with_arith<float>(pairs);
      case Arith::float64:
        return with_arith<double>(pairs);
    }
  }

 private:
  template <class Acc>
  void with_arith(std::span<const PlanePair> pairs) const {
    switch (plan_.sample.storage) {
      case Storage::u8:
        return compute<Acc, std::uint8_t>(pairs);
      case Storage::u16:
        return compute<Acc, std::uint16_t>(pairs);
      case Storage::f32:
        return compute<Acc, float>(pairs);
    }
  }

  void without_taps(std::span<const PlanePair> pairs) const {
    if (plan_.sample.storage == Storage::u8) return make_plain<std::uint8_t>(pairs);
    if (plan_.sample.storage == Storage::u16) return make_plain<std::uint16_t>(pairs);
    make_plain<float>(pairs);
  }

  template <class T>
  void make_plain(std::span<const PlanePair> pairs) const {
    for (const PlanePair& pair : pairs) {
      const Plain<T> plain(plan_, pair.src.as<const T>(), pair.dst.as<T>());
      for_rows(plain.rows(), [&](int row) { plain.make_row(row); });
    }
  }

  template <class Acc, class T>
  void compute(std::span<const PlanePair> pairs) const {
    for (const PlanePair& pair : pairs) {
      const Definition<Acc, T> definition(plan_, pair.src.as<const T>());
      const Plane<T> dst = pair.dst.as<T>();
      for_rows(dst.height, [&](int y) {
        for (int x = 0; x < dst.width; ++x)
          dst.row(y)[static_cast<std::ptrdiff_t>(x) * dst.step] = definition.sample(x, y);
      });
    }
  }

  // Rows have nothing in common, and a thread that other work holds up takes fewer of them. An
  // exception of a row must not leave the parallel region: it is rethrown behind it.
  template <class Row>
  void for_rows(int height, const Row& row) const {
    std::exception_ptr failure;
#pragma omp parallel for num_threads(threads_) schedule(dynamic)
    for (int y = 0; y < height; ++y) {
      try {
        row(y);
      } catch (...) {
#pragma omp critical(vidconv_reference)
        failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
  }

  const Plan plan_;
  [[maybe_unused]] const int threads_;  // unused in builds without OpenMP
};

}  // namespace

std::unique_ptr<Convolver> make_reference(const Plan& plan, int threads) {
  if (plan.operation() == Operation::over_time) return make_time_reference(plan, threads);
  if (plan.operation() == Operation::weighted) return make_weighted_reference(plan, threads);
  return std::make_unique<Reference>(plan, threads);
}

}  // namespace vidconv
