// Names that nothing has are refused with the one that was most likely meant, and case is no
// matter.
#include "tests/cli/cli_test.h"

namespace vidconv::test {
namespace {

class Names : public CliTest {};

TEST_F(Names, AreGuessedWhereverTheyAreRefused) {
  struct Case {
    Arguments arguments;
    std::string meant;
  };
  for (const Case& c : {
           Case{{"--kernal", "box"}, "'--kernel'"},
           Case{{"--kernel", "box", "-crf", "20"}, "'--crf'"},
           Case{{"--kernel", "box", "--filter=box"}, "'--kernel'"},
           Case{{"--kernel", "sobell"}, "'sobel'"},
           Case{{"--kernel", "blur"}, "'gaussian' or 'box'"},
           Case{{"--kernel", "laplacian:neighbors=8"}, "'neighbours'"},
           Case{{"--kernel", "box", "--border", "mirror"}, "'reflect101' or 'reflect'"},
           Case{{"--kernel", "box", "--planes", "croma"}, "'chroma'"},
           Case{{"--kernel", "box", "--scan", "interlased"}, "'interlaced'"},
           Case{{"--kernel", "box", "--progress", "jsn"}, "'json'"},
           Case{{"--kernel", "box", "--compare", "spilt"}, "'split'"},
           Case{{"--kernel", "box", "--device", "gpu"}, "'cuda'"},
           Case{{"--kernel", "box", "--decoder", "nvdc"}, "'nvdec'"},
           Case{{"--kernel", "box", "--variant", "cpu-in16"}, "'cpu-int16'"},
           Case{{"--kernel", "box", "--codec", "mpeg2vido"}, "'mpeg2video'"},
           Case{{"--kernel", "box", "--codec", "mpeg4", "--encoder-opt", "b_stratgy=1"},
                "'b_strategy'"},
           Case{{"--list-kernels=jsn"}, "'json'"},
       }) {
    Arguments all{"pattern:64x48#1", "-o", path("a.mkv")};
    all.insert(all.end(), c.arguments.begin(), c.arguments.end());
    EXPECT_TRUE(refused(run_vidconv(all), exit_command_line, {"(did you mean " + c.meant + "?)"}));
    EXPECT_FALSE(std::filesystem::exists(path("a.mkv")));
  }
  EXPECT_TRUE(refused(run_vidconv({"pattern:64x48:yuv420#1", "-o", "null:", "--kernel", "box"}),
                      exit_command_line, {"(did you mean 'yuv420p'?)"}));
  EXPECT_TRUE(
      refused(run_vidconv({"pattern:64x48#1", "-o", "-", "--format", "mkv", "--kernel", "box"}),
              exit_command_line, {"(did you mean 'matroska'?)"}));
  // What is near to nothing is not guessed.
  const Result other = run_vidconv({"pattern:64x48#1", "-o", "null:", "--kernel", "qqqq"});
  EXPECT_TRUE(refused(other, exit_command_line, {"qqqq", "there are identity, box"}));
  EXPECT_EQ(other.err.find("did you mean"), std::string::npos);
}

TEST_F(Names, InAnyCase) {
  const auto digests = [](const Arguments& more) {
    Arguments all{"pattern:64x48#2", "-o", "md5:", "-q"};
    all.insert(all.end(), more.begin(), more.end());
    const Result result = run_vidconv(all);
    EXPECT_TRUE(succeeded(result));
    return result.out;
  };
  EXPECT_EQ(digests({"--kernel", "GAUSSIAN:Sigma=2", "--border", "Wrap", "--planes", "LUMA",
                     "--device", "CPU", "--scan", "Interlaced", "--variant", "Reference"}),
            digests({"--kernel", "gaussian:sigma=2", "--border", "wrap", "--planes", "luma",
                     "--device", "cpu", "--scan", "interlaced", "--variant", "reference"}));
}

TEST_F(Names, OneRowOfASquareIsWarnedOf) {
  const std::string numbers = "0 -1 0 -1 5 -1 0 -1 0";
  write_file(path("k.txt"), numbers + "\n");
  const auto err = [](const std::string& kernel) {
    const Result result = run_vidconv({"pattern:64x48#1", "-o", "null:", "--kernel", kernel});
    EXPECT_TRUE(succeeded(result));
    return result.err;
  };
  EXPECT_TRUE(has_line_with(err("matrix:" + numbers),
                            {"warning", " matrix:0 -1 0;-1 5 -1;0 -1 0,", "[one-row]"}));
  EXPECT_TRUE(has_line_with(err("file:" + path("k.txt")), {"3 lines of 3", "[one-row]"}));
  EXPECT_FALSE(has_line_with(err("row:" + numbers), {"[one-row]"}));
}

}  // namespace
}  // namespace vidconv::test
