// --explain prints its text without running anything.
#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Explain : public CliTest {};

TEST_F(Explain, ExplainRunsNothing) {
  const Result result = run_vidconv({"pattern:128x72", "-o", path("out.mp4"), "--kernel",
                                     "matrix:1 2 1;2 4 2;1 2 1:scale=1/16", "--explain"});
  EXPECT_TRUE(succeeded(result));
  for (const std::string words :
       {"filter  matrix:1 2 1;2 4 2;1 2 1:scale=1/16", "3x3, anchor 1,1", "DC gain 1, rank 1",
        "exact, border reflect101", " 0.0625 0.125 0.0625", "row    1 2 1", "divided by 16",
        "memory", "copies"})
    EXPECT_TRUE(has_line_with(result.out, {words}));
  EXPECT_FALSE(std::filesystem::exists(path("out.mp4")));
  // The memory for frames is told although no frame has passed.
  EXPECT_FALSE(has_line_with(result.out, {" 0.0 MiB of host memory"}));
}

TEST_F(Explain, ExplainTellsOfEachVideo) {
  ffmpeg(
      "-f lavfi -i testsrc2=size=64x48:duration=0.2 -f lavfi -i testsrc2=size=32x20:duration=0.2 "
      "-map 0 -map 1 " +
      path("two.mkv"));
  const Result all =
      run_vidconv({path("two.mkv"), "--explain", "--kernel", "box", "--video", "all"});
  EXPECT_TRUE(has_line_with(all.out, {"video 1 of 2", "64x48"}));
  EXPECT_TRUE(has_line_with(all.out, {"video 2 of 2", "32x20"}));
  const Result second =
      run_vidconv({path("two.mkv"), "--explain", "--kernel", "box", "--video", "2"});
  EXPECT_EQ(second.out.find("64x48"), std::string::npos);
  // A benchmark measures one video, and says which.
  const Result measured =
      run_vidconv({path("two.mkv"), "--benchmark=0.01", "--kernel", "box", "--video", "all"});
  EXPECT_TRUE(has_line_with(measured.err, {"first video", "--video N", "[no-effect]"}));
  EXPECT_TRUE(has_line_with(measured.out, {"64x48"}));
}

TEST_F(Explain, ExplainNamesTransformsForVeryLargeKernels) {
  const Result result = run_vidconv({"pattern:128x72", "-o", "null:", "--kernel", "random:1,101",
                                     "--device", "cpu", "--explain"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.out, {"filter by cpu-fft"}));
}

}  // namespace
}  // namespace vidconv::test
