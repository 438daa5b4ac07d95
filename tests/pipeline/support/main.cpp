// Runs the tests of the pipeline room. Tests that need a CUDA device skip where there is none;
// VIDCONV_REQUIRE_CUDA=1 makes that a failure.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/pipeline/support/support.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* variable = std::getenv("VIDCONV_REQUIRE_CUDA");
  if (variable && std::string_view(variable) == "1" && !vidconv::test::has(vidconv::Device::cuda)) {
    std::fputs("CUDA is required, but this build or this machine cannot run it\n", stderr);
    return 1;
  }
  return RUN_ALL_TESTS();
}
