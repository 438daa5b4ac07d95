#include "kernels/convolve.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/cpu/cpu.h"
#include "kernels/reference.h"

namespace vidconv {
namespace {

bool any_plan(const Plan&) { return true; }

constexpr Variant table[] = {
    {"cpu-copy", "rows copied", Device::cpu, cpu_copy_supports, make_cpu_copy},
    {"cpu-fill", "rows of one value", Device::cpu, cpu_fill_supports, make_cpu_fill},
    {"cpu-int16", "SIMD, 16-bit multiply-adds into 32 bits; OpenMP", Device::cpu,
     cpu_int16_supports, make_cpu_int16},
    {"cpu-lanes", "SIMD, int32, float or double lanes; OpenMP", Device::cpu, cpu_lanes_supports,
     make_cpu_lanes},
    {"reference", "the definition: plain loops, one thread", Device::cpu, any_plan, make_reference},
};

}  // namespace

std::span<const Variant> variants() { return table; }

const Variant& pick(const Plan& plan, Device device) {
  for (const Variant& variant : table)
    if (variant.device == device && variant.supports(plan)) return variant;
  throw std::invalid_argument("this build has no variant for that device");
}

const Variant* find_variant(std::string_view name) {
  const auto it = std::ranges::find(table, name, &Variant::name);
  return it == std::end(table) ? nullptr : &*it;
}

}  // namespace vidconv
