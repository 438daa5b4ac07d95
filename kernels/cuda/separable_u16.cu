// cuda-separable-u16: two passes in float over samples of 16 bits, of at most 31 taps each way, by
// the kernel of separable_f32_bulk.cuh. Planes that it cannot take go to cuda-separable.
#include "kernels/cuda/separable_f32_bulk.cuh"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace {

constexpr int longest = 31;

// Others take the next size, with zeros added, which change no sum of codes.
constexpr int after(int size) { return size < 17 ? size + 2 : size < 25 ? size + 4 : longest; }

template <int size>
std::unique_ptr<Convolver> make_sized(const Plan& plan) {
  if constexpr (size < longest)
    if (square_for(plan) > size) return make_sized<after(size)>(plan);
  return std::make_unique<BulkOrOther<SeparableF32Bulk<std::uint16_t, size>>>(
      plan, make_separable(plan, 1));
}

}  // namespace

bool supports_separable_u16(const Plan& plan, const CudaAbilities& abilities) {
  return plan.sample.storage == Storage::u16 && plan.arith == Arith::float32 &&
         supports_separable(plan) && plan.terms.size() == 1 &&
         plan.finish.combine == Combine::linear && plan.border != BorderMode::wrap &&
         abilities.generation >= 9 && square_for(plan) <= longest;
}

std::unique_ptr<Convolver> make_separable_u16(const Plan& plan, int) { return make_sized<3>(plan); }

}  // namespace vidconv::cuda
