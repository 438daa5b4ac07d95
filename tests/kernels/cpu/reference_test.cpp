// The definition on several threads: OpenMP's, and the bytes of one.
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <thread>

#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/runner.h"

namespace vidconv::test {
namespace {

auto threads_of_process() {
  using Entries = std::filesystem::directory_iterator;
  return std::distance(Entries("/proc/self/task"), Entries());
}

TEST(Reference, RunsOnOpenMp) {
  const Plan plan = make_plan(FilterSpec::parse("gaussian:sigma=2").make(), {}, {}, Role::colour);
  Picture src({}, 97, 61, {}, 1), one({}, 97, 61, {}, 2), several = one;
  src.draw(Content::noise, 1);
  const Variant& reference = *find_variant("reference");
  Runner(reference, plan, 1).run(src, one);
  // OpenMP keeps the threads of each thread that has begun a parallel region, for as long as it
  // lives.
  std::thread([&] {
    const auto before = threads_of_process();
    Runner(reference, plan, 4).run(src, several);
#ifdef VIDCONV_HAVE_OPENMP
    EXPECT_EQ(threads_of_process(), before + 3);
#else
    EXPECT_EQ(threads_of_process(), before);
#endif
  }).join();
  EXPECT_EQ(several.bytes(), one.bytes());
}

}  // namespace
}  // namespace vidconv::test
