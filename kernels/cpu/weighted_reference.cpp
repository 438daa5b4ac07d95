#include "kernels/cpu/weighted_reference.h"

#include <cstdint>
#include <span>

#include "kernels/convolver/weighted_pairs.h"
#include "kernels/plan/weighted.h"

namespace vidconv {
namespace {

template <class T>
class WeightedDefinition {
 public:
  WeightedDefinition(const Plan& plan, const PlanePair& pair, const ConstBytePlane& weights)
      : taps_(plan.terms[0]),
        math_(weighted_math(plan)),
        src_(pair.src.as<const T>()),
        weights_(weights.as<const T>()) {}

  T sample(int x, int y) const {
    const Sums sums = taps_.dense.empty() ? two_passes(x, y) : dense(x, y);
    return weighted_mean(math_, sums.terms, sums.weights, at(x, y));
  }

 private:
  struct Sums {
    double terms = 0, weights = 0;
    void add(double tap, const Sums& other) {
      terms = terms + tap * other.terms;
      weights = weights + tap * other.weights;
    }
  };

  T at(int x, int y) const { return src_.row(y)[std::ptrdiff_t{x} * src_.step]; }

  Sums pixel(int x, int y) const {
    const int u = border_index(math_.border, x, src_.width);
    const int v = border_index(math_.border, y, src_.height);
    if (u < 0 || v < 0) return {math_.outside_term, math_.outside_weight};
    const double weight = weight_at(math_, weights_, u, v);
    return {weighted_term(weight, weighted_value(at(u, v), math_.shift)), weight};
  }

  Sums row_sums(const double* taps, int x, int y) const {
    Sums sums;
    for (int i = 0; i < taps_.width; ++i) sums.add(taps[i], pixel(x - taps_.anchor_x + i, y));
    return sums;
  }

  Sums two_passes(int x, int y) const {
    Sums sums;
    for (int j = 0; j < taps_.height; ++j)
      sums.add(taps_.column[static_cast<std::size_t>(j)],
               row_sums(taps_.row.data(), x, y - taps_.anchor_y + j));
    return sums;
  }

  Sums dense(int x, int y) const {
    Sums sums;
    const double* taps = taps_.dense.data();
    for (int j = 0; j < taps_.height; ++j, taps += taps_.width)
      sums.add(1, row_sums(taps, x, y - taps_.anchor_y + j));
    return sums;
  }

  const Taps& taps_;
  const WeightedMath math_;
  const Plane<const T> src_, weights_;
};

class WeightedReference final : public Convolver {
 public:
  WeightedReference(const Plan& plan, int threads) : plan_(plan), threads_(threads) {}

  void run(std::span<const PlanePair> pairs, CudaStream) override {
    for_weighted_groups(pairs,
                        [&](std::span<const PlanePair> group, const ConstBytePlane& weights) {
                          for (const PlanePair& pair : group) {
                            if (plan_.sample.storage == Storage::u8)
                              compute<std::uint8_t>(pair, weights);
                            else if (plan_.sample.storage == Storage::u16)
                              compute<std::uint16_t>(pair, weights);
                            else
                              compute<float>(pair, weights);
                          }
                        });
  }

 private:
  template <class T>
  void compute(const PlanePair& pair, const ConstBytePlane& weights) const {
    const WeightedDefinition<T> definition(plan_, pair, weights);
    const Plane<T> dst = pair.dst.as<T>();
#pragma omp parallel for num_threads(threads_) schedule(dynamic)
    for (int y = 0; y < dst.height; ++y)
      for (int x = 0; x < dst.width; ++x)
        dst.row(y)[std::ptrdiff_t{x} * dst.step] = definition.sample(x, y);
  }

  const Plan plan_;
  [[maybe_unused]] const int threads_;  // unused in builds without OpenMP
};

}  // namespace

std::unique_ptr<Convolver> make_weighted_reference(const Plan& plan, int threads) {
  return std::make_unique<WeightedReference>(plan, threads);
}

}  // namespace vidconv
