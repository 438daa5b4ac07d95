// cuda-separable-u16 for whole pixels of three or four components of 16 bits (Plan::components):
// the zeros between the taps of a row cost nothing.
#include "kernels/cuda/common/bulk_or_other.cuh"
#include "kernels/cuda/common/pixel_taps.h"
#include "kernels/cuda/common/then_copy.h"
#include "kernels/cuda/separable/separable_rows.cuh"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace separable_pixels_kernels {
namespace {

constexpr int smallest_pixels = 5, largest_pixels = 17, largest_pixels_of_integers = 9;

template <class Arith, int apart, int size>
std::unique_ptr<Convolver> make_pixels_of(const Plan& plan) {
  if constexpr (size < (Arith::ordered ? largest_pixels : largest_pixels_of_integers))
    if (square_of_pixels(plan) > size) return make_pixels_of<Arith, apart, size + 4>(plan);
  return bulk_or_other(
      separable_bulk<std::uint16_t, Arith, size, apart>("cuda-separable-u16", plan),
      then_copy_kept(make_separable(plan, 1), plan));
}

template <int apart>
std::unique_ptr<Convolver> make_pixels(const Plan& plan) {
  return plan.arith == Arith::int32 ? make_pixels_of<Integer, apart, smallest_pixels>(plan)
                                    : make_pixels_of<OrderedFloat, apart, smallest_pixels>(plan);
}

}  // namespace
}  // namespace separable_pixels_kernels

bool supports_separable_pixels(const Plan& plan, const CudaAbilities& abilities) {
  using namespace separable_pixels_kernels;
  return plan.components >= 3 && keeps_in_rows(plan) && plan.sample.storage == Storage::u16 &&
         plan.arith != Arith::float64 && supports_separable(plan) && plan.terms.size() == 1 &&
         plan.finish.combine == Combine::linear && plan.border != BorderMode::wrap &&
         abilities.generation >= 9 &&
         square_of_pixels(plan) <=
             (plan.arith == Arith::int32 ? largest_pixels_of_integers : largest_pixels);
}

std::unique_ptr<Convolver> make_separable_pixels(const Plan& plan, int) {
  using namespace separable_pixels_kernels;
  return plan.components == 3 ? make_pixels<3>(plan) : make_pixels<4>(plan);
}

}  // namespace vidconv::cuda
