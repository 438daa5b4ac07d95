// The variant for every plan, in the plan's own arithmetic.
#include "kernels/cpu/generic/generic.h"

#include <algorithm>
#include <memory>

#include "kernels/cpu/band/banded.h"
#include "kernels/cpu/variants.h"

namespace vidconv {
namespace {

template <class Lane>
using Lanes = BandedConvolver<Lane, GenericPlan<Lane>>;

template <class Lane>
std::unique_ptr<Convolver> make_lanes(const Plan& plan, typename Lanes<Lane>::RunBand run,
                                      int threads) {
  return std::make_unique<Lanes<Lane>>(plan, GenericPlan<Lane>(plan), run, threads);
}

}  // namespace

bool cpu_generic_supports(const Plan& plan) {
  return std::ranges::none_of(plan.terms, &Taps::pairwise);
}

std::unique_ptr<Convolver> make_cpu_generic(const Plan& plan, int threads) {
  switch (plan.arith) {
    case Arith::int32:
      return make_lanes<std::int32_t>(plan, run_int32_lanes, threads);
    case Arith::float32:
      return make_lanes<float>(plan,
                               plan.sample.storage == Storage::f32 ? run_float_lanes_of_floats
                                                                   : run_float_lanes_of_codes,
                               threads);
    case Arith::float64:
      return make_lanes<double>(plan, run_double_lanes, threads);
  }
  return nullptr;
}

}  // namespace vidconv
