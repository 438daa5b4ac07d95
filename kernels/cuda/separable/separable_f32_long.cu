// cuda-separable-f32-long: two passes over float samples, of 19 to 33 taps each way around the
// output sample, by the kernel of separable_rows.cuh. Planes that it cannot take, which are
// rare, go to cuda-separable.
#include "kernels/cuda/common/bulk_or_other.cuh"
#include "kernels/cuda/separable/separable_rows.cuh"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace separable_f32_long_kernels {
namespace {

constexpr int shortest = 19, longest = 33;

template <int size>
std::unique_ptr<Convolver> make_sized(const Plan& plan) {
  if constexpr (size < longest)
    if (plan.terms[0].width > size) return make_sized<size + 2>(plan);
  return bulk_or_other(separable_bulk<float, OrderedFloat, size>("cuda-separable-f32-long", plan),
                       make_separable(plan, 1));
}

}  // namespace
}  // namespace separable_f32_long_kernels

// Demands what supports_separable_f32() does, and bulk copies: nothing would be gained without.
bool supports_separable_f32_long(const Plan& plan, const CudaAbilities& abilities) {
  using namespace separable_f32_long_kernels;
  if (plan.sample.storage != Storage::f32 || !supports_separable(plan) || !is_passes(plan) ||
      plan.finish.combine != Combine::linear || plan.border == BorderMode::wrap ||
      abilities.generation < 9)
    return false;
  const Taps& t = plan.terms[0];
  return t.width == t.height && t.width % 2 == 1 && t.width >= shortest && t.width <= longest &&
         t.anchor_x == t.width / 2 && t.anchor_y == t.height / 2;
}

std::unique_ptr<Convolver> make_separable_f32_long(const Plan& plan, int) {
  using namespace separable_f32_long_kernels;
  return make_sized<shortest>(plan);
}

}  // namespace vidconv::cuda
