// Runs the rows of instructions.txt for instructions.py, which counts what each takes. Arguments:
// SPEC:BITS for each row.
#include <cstdio>
#include <string_view>
#include <vector>

#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/picture.h"

// callgrind begins to count before the one and writes a file after the other.
extern "C" {
[[gnu::noinline]] void vidconv_count_begins() { asm volatile(""); }
[[gnu::noinline]] void vidconv_count_ends() { asm volatile(""); }
}

namespace vidconv::test {
namespace {

SampleType sample_of(int bits) {
  if (bits == 32) return {Storage::f32, 32, 0};
  return {bits == 8 ? Storage::u8 : Storage::u16, bits, 0};
}

void run_row(std::string_view row) {
  const auto space = row.rfind(' ');
  const int bits = std::stoi(std::string(row.substr(space + 1)));
  const Filter filter = FilterSpec::parse(std::string(row.substr(0, space))).make();
  const Plan plan = make_plan(filter, sample_of(bits), {}, Role::colour);
  const auto convolver = pick(plan, Device::cpu, {}).convolver(1);
  constexpr int width = 512, height = 64;  // as instructions.py knows
  Picture drawn(plan.sample, width, height, {}, 1), dst(plan.sample, width, height, {}, 2);
  drawn.draw(Content::noise, 1);
  const Picture& src = drawn;
  const PlanePair pair{src.plane(), dst.plane()};
  convolver->run({&pair, 1}, nullptr);  // memory is allocated now
  vidconv_count_begins();
  convolver->run({&pair, 1}, nullptr);
  vidconv_count_ends();
}

}  // namespace
}  // namespace vidconv::test

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) vidconv::test::run_row(argv[i]);
  return 0;
}
