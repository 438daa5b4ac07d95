// A program of somebody else: uses both installed libraries, and blurs one white dot.
#include <array>
#include <cstdint>
#include <iostream>

#include "kernels/plan/plan.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "pipeline/av/format.h"

int main() {
  constexpr int size = 3;
  std::array<std::uint8_t, size * size> dot{}, blurred{};
  dot[4] = 255;

  std::cout << vidconv::find_format(AV_PIX_FMT_YUV420P)->name << '\n';

  const vidconv::Filter filter = vidconv::FilterSpec::parse("box").make();
  const vidconv::Plan plan =
      make_plan(filter, vidconv::SampleType{}, vidconv::Border{}, vidconv::Role::colour);
  const auto convolver = pick(plan, vidconv::Device::cpu).convolver(1);

  const vidconv::Plane<const std::uint8_t> src{
      .data = dot.data(), .stride = size, .width = size, .height = size};
  const vidconv::Plane<std::uint8_t> dst = src.at(blurred.data());
  const vidconv::PlanePair pair{src.as<const std::byte>(), dst.as<std::byte>()};
  convolver->run({&pair, 1}, nullptr);

  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) std::cout << +dst.row(y)[x] << (x + 1 < size ? ' ' : '\n');
}
