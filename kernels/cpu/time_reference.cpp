#include "kernels/cpu/time_reference.h"

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "kernels/convolver/time_convolver.h"
#include "kernels/cpu/volume_reference.h"

namespace vidconv {
namespace {

// Acc is the arithmetic: std::int32_t, float or double. T is the sample type.
template <class Acc, class T>
class Sample {
 public:
  explicit Sample(const Plan& plan)
      : plan_(plan),
        taps_(plan.terms[0].dense),
        threshold_(plan.over_time->threshold >= 0),
        most_(static_cast<Acc>(plan.over_time->threshold)) {}

  // `at(k)`: the sample as it is stored in the frame of tap k; `here`: in the frame filtered.
  template <class At>
  T of(const At& at, T here) const {
    Acc sum = 0;
    for (std::size_t k = 0; k < taps_.size(); ++k) sum = add(taps_[k], near(at(k), here), sum);
    Combined<Acc> combined;
    combined.first(plan_.finish, sum);
    const T code = combined.template finish<T>(plan_.finish);
    if constexpr (std::is_same_v<T, float>)
      return code;
    else
      return static_cast<T>(code << plan_.sample.shift);
  }

 private:
  Acc value(T stored) const {
    if constexpr (std::is_same_v<T, float>)
      return static_cast<Acc>(stored);
    else
      return static_cast<Acc>(stored >> plan_.sample.shift);
  }
  // The value that counts.
  Acc near(T stored, T here) const {
    const Acc there = value(stored), centre = value(here);
    const Acc apart = there < centre ? centre - there : there - centre;
    return threshold_ && apart > most_ ? centre : there;
  }
  static Acc add(double tap, Acc x, Acc sum) {
    if constexpr (std::is_same_v<Acc, std::int32_t>)
      return static_cast<Acc>(tap) * x + sum;
    else
      return std::fma(static_cast<Acc>(tap), x, sum);
  }

  const Plan& plan_;
  const std::vector<double>& taps_;
  const bool threshold_;
  const Acc most_;
};

class TimeReference final : public TimeConvolver {
 public:
  TimeReference(const Plan& plan, int threads) : TimeConvolver(plan, threads) {}

 private:
  std::unique_ptr<TimeConvolver> make(const Plan& plan) const override {
    return std::make_unique<TimeReference>(plan, threads_);
  }

  void run_group(const Group& group) override {
    switch (plan_.arith) {
      case Arith::int32:
        return with_arith<std::int32_t>(group);
      case Arith::float32:
        return with_arith<float>(group);
      case Arith::float64:
        return with_arith<double>(group);
    }
  }

  template <class Acc>
  void with_arith(const Group& group) const {
    switch (plan_.sample.storage) {
      case Storage::u8:
        return compute<Acc, std::uint8_t>(group);
      case Storage::u16:
        return compute<Acc, std::uint16_t>(group);
      case Storage::f32:
        return compute<Acc, float>(group);
    }
  }

  template <class Acc, class T>
  void compute(const Group& group) const {
    const Sample<Acc, T> sample(plan_);
    const int height = group.pairs.front().dst.height;
#pragma omp parallel for num_threads(threads_) schedule(dynamic)
    for (int y = 0; y < height; ++y) {
      for (const PlanePair& pair : group.pairs) {
        const std::ptrdiff_t beside = pair.src.data - group.pairs.front().src.data;
        const auto samples = [&](const Rows& rows) {
          return reinterpret_cast<const T*>(rows.row(y) + beside);
        };
        T* const out = pair.dst.as<T>().row(y);
        for (int x = 0; x < pair.dst.width; ++x) {
          const std::ptrdiff_t i = std::ptrdiff_t{x} * pair.src.step;
          const auto at = [&](std::size_t k) { return samples(group.taps[k])[i]; };
          out[std::ptrdiff_t{x} * pair.dst.step] = sample.of(at, samples(group.here)[i]);
        }
      }
    }
  }
};

}  // namespace

std::unique_ptr<Convolver> make_time_reference(const Plan& plan, int threads) {
  if (plan.plane_rows() > 0) return make_volume_reference(plan, threads);
  return std::make_unique<TimeReference>(plan, threads);
}

}  // namespace vidconv
