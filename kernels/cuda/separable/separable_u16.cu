// cuda-separable-u16: two passes over samples of 16 bits, of at most 31 taps each way in float and
// 7 in integers, by the kernel of separable_rows.cuh. Planes that it cannot take go to
// cuda-separable.
#include "kernels/cuda/common/bulk_or_other.cuh"
#include "kernels/cuda/separable/separable_rows.cuh"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace separable_u16_kernels {
namespace {

constexpr int longest = 31, longest_integers = 7;

// Returns the next size that has a kernel. Sizes between take it, with zeros added, which change no
// sum of codes.
constexpr int after(int size) { return size < 17 ? size + 2 : size < 25 ? size + 4 : longest; }

template <class Arith, int size, int largest>
std::unique_ptr<Convolver> make_sized(const Plan& plan) {
  if constexpr (size < largest)
    if (square_for(plan) > size) return make_sized<Arith, after(size), largest>(plan);
  return bulk_or_other(separable_bulk<std::uint16_t, Arith, size>("cuda-separable-u16", plan),
                       make_separable(plan, 1));
}

}  // namespace
}  // namespace separable_u16_kernels

// More taps are for tensor cores where sums are integers.
bool supports_separable_u16(const Plan& plan, const CudaAbilities& abilities) {
  using namespace separable_u16_kernels;
  if (plan.sample.storage != Storage::u16 || plan.arith == Arith::float64 ||
      !supports_separable(plan) || !is_passes(plan) || plan.finish.combine != Combine::linear ||
      plan.border == BorderMode::wrap || abilities.generation < 9)
    return false;
  return square_for(plan) <= (plan.arith == Arith::int32 ? longest_integers : longest);
}

std::unique_ptr<Convolver> make_separable_u16(const Plan& plan, int) {
  using namespace separable_u16_kernels;
  return plan.arith == Arith::int32 ? make_sized<Integer, 3, longest_integers>(plan)
                                    : make_sized<OrderedFloat, 3, longest>(plan);
}

}  // namespace vidconv::cuda
