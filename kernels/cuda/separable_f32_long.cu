// cuda-separable-f32-long: two passes over float samples, of 19 to 33 taps each way around the
// output sample, by the kernel of separable_f32_bulk.cuh. Planes that it cannot take, which are
// rare, go to cuda-separable.
#include <algorithm>

#include "kernels/cuda/separable_f32.cuh"
#include "kernels/cuda/separable_f32_bulk.cuh"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace {

constexpr int shortest = 19, longest = 33;

template <int size>
class SeparableF32Long final : public Convolver {
 public:
  explicit SeparableF32Long(const Plan& plan) : bulk_(plan), other_(make_separable(plan, 1)) {}

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    while (!pairs.empty()) {
      const bool bulk = bulk_.takes(pairs.front());
      const auto other = std::ranges::find_if(
          pairs, [&](const PlanePair& pair) { return bulk_.takes(pair) != bulk; });
      const auto alike = pairs.first(static_cast<std::size_t>(other - pairs.begin()));
      if (bulk) {
        bulk_.run(alike, stream);
      } else {
        other_->run(alike, stream);
      }
      pairs = pairs.subspan(alike.size());
    }
  }

 private:
  SeparableF32Bulk<size> bulk_;
  std::unique_ptr<Convolver> other_;
};

template <int size>
std::unique_ptr<Convolver> make_sized(const Plan& plan) {
  if constexpr (size < longest)
    if (plan.terms[0].width > size) return make_sized<size + 2>(plan);
  return std::make_unique<SeparableF32Long<size>>(plan);
}

}  // namespace

// As supports_separable_f32(); without bulk copies nothing would be gained.
bool supports_separable_f32_long(const Plan& plan, const CudaAbilities& abilities) {
  if (plan.sample.storage != Storage::f32 || !supports_separable(plan) || plan.terms.size() != 1 ||
      plan.finish.combine != Combine::linear || plan.border == BorderMode::wrap ||
      abilities.generation < 9)
    return false;
  const Taps& t = plan.terms[0];
  return t.width == t.height && t.width % 2 == 1 && t.width >= shortest && t.width <= longest &&
         t.anchor_x == t.width / 2 && t.anchor_y == t.height / 2;
}

std::unique_ptr<Convolver> make_separable_f32_long(const Plan& plan, int) {
  return make_sized<shortest>(plan);
}

}  // namespace vidconv::cuda
