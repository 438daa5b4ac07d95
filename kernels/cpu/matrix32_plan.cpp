#include "kernels/cpu/matrix32_plan.h"

#include <cstddef>
#include <utility>

namespace vidconv {

std::optional<Matrix32Plan> make_matrix32_plan(const Plan& plan) {
  if (plan.sample.storage != Storage::u16) return std::nullopt;
  std::optional<Int16Plan> int16 = make_int16_plan(plan);
  const Taps& t = plan.terms[0];
  if (!int16 || !int16->plain || int16->size != 3 || t.anchor_x != 1 || t.anchor_y != 1)
    return std::nullopt;
  Matrix32Plan result{{}, *std::move(int16)};
  for (std::size_t j = 0; j < 3; ++j) {
    const auto tap = [&](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(t.dense[3 * j + i])) & 0xFFFF;
    };
    const auto pair = [](std::uint32_t first, std::uint32_t second) {
      return static_cast<Int16Plan::TapPair>(first | second << 16);
    };
    result.taps[j] = {pair(tap(0), tap(1)), pair(tap(2), 0), pair(0, tap(2))};
  }
  return result;
}

}  // namespace vidconv
