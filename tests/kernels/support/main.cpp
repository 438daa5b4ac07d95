// The tests of the kernels room.
//
// --require-cuda (or VIDCONV_REQUIRE_CUDA=1): fail where the CUDA variants cannot run, so that a
// GPU host without a working device never passes in silence.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "kernels/convolver/worth.h"
#include "tests/kernels/support/runner.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* variable = std::getenv("VIDCONV_REQUIRE_CUDA");
  bool require_cuda = variable != nullptr && std::string_view(variable) == "1";
  for (int i = 1; i < argc; ++i)
    require_cuda = require_cuda || std::string_view(argv[i]) == "--require-cuda";
  if (require_cuda && !vidconv::test::cuda_works()) {
    std::fputs("CUDA is required, but this build or this machine cannot run it\n", stderr);
    return 1;
  }
  vidconv::force_all_threads(true);  // small pictures are not worth them otherwise
  return RUN_ALL_TESTS();
}
