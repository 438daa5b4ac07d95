// Unknown names are refused with the most likely known one; letter case does not matter.
#include "tests/cli/support/cli_test.h"

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
           Case{{"--kernel", "box", "--variant", "cpu-conv-in16"}, "'cpu-conv-int16'"},
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
  // A name that is near to none is not guessed.
  const Result other = run_vidconv({"pattern:64x48#1", "-o", "null:", "--kernel", "qqqq"});
  EXPECT_TRUE(refused(other, exit_command_line, {"qqqq", "there are identity, box"}));
  EXPECT_EQ(other.err.find("did you mean"), std::string::npos);
}

// Options of other programs are answered with what to type here.
TEST_F(Names, MistakesOfOtherProgramsAreAnswered) {
  struct Case {
    Arguments arguments;
    std::string answer;
  };
  const std::string in = "pattern:64x48#1";
  for (const Case& c : {
           Case{{"-i", in, "-o", "null:", "--kernel", "box"}, "the input needs no -i"},
           Case{{in, "-o", "null:", "--kernel", "gaussian:2"},
                "by name: sigma=2; 'gaussian' takes"},
           Case{{in, "-o", "null:", "--kernel", "unsharp:5:5:1.0"}, "by name: sigma=5"},
           Case{{in, "-o", "null:", "--kernel", "gaussian=2"}, "gaussian:sigma=2"},
           Case{{in, "-o", "null:", "--kernel", "gaussian(2)"}, "gaussian:sigma=2"},
           Case{{in, "-o", "null:", "--kernel", "gaussian sigma=2"}, "gaussian:sigma=2"},
           Case{{in, "-o", "null:", "--kernel", "unsharp,2,1.5"}, "unsharp:sigma=2:amount=1.5"},
           Case{{in, "-o", "null:", "--kernel", "gaussian", "sigma=2"},
                "--kernel gaussian:sigma=2"},
           Case{{in, "-o", "null:", "--kernel", "box", "sigma=2"}, "by a colon"},
           Case{{in, "-o", "null:", "--kernel", "sobel,gaussian"},
                "give --kernel once for each: sobel, then gaussian"},
           Case{{in, "-o", "null:", "--kernel", "gaussian:sigma=2,sobel"},
                "gaussian:sigma=2, then sobel"},
           Case{{in, "-o", "null:", "--kernel", "sobel | box"}, "sobel, then box"},
           Case{{in, "-o", "null:", "--kernel", "0 -1 0 -1 5 -1 0 -1 0"},
                "a 3x3 matrix is matrix:0 -1 0;-1 5 -1;0 -1 0"},
           Case{{in, "-o", "null:", "--kernel", "1,2,1"}, "row:1 2 1 or column:1 2 1"},
           Case{{in, "-o", "null:", "--kernel", "matrix:0,0 -1,0 0,0;-1,0 5,0 -1,0;0,0 -1,0 0,0"},
                "write decimal points, 0.0 -1.0 0.0"},
           Case{{in, "-o", "null:", "--kernel", "1 2 1;2 4 2"}, "matrix:1 2 1;2 4 2"},
           Case{{in, "out.mp4", "--kernel", "box"}, "-o out.mp4"},
           Case{{in, "-o", "null:", "--kernel", "box", "--region", "1,2,3,4"},
                "gaussian:sigma=9:region=x,y,w,h"},
           Case{{in, "-o", "null:", "--kernel", "box", "--scale", "2"}, "keep their size"},
           Case{{in, "-o", "null:", "--kernel", "Median:3"}, "ffmpeg has a median"},
           Case{{in, "-o", "null:", "--kernel", "box", "--border", "constant"}, "constant:0.5"},
       })
    EXPECT_TRUE(refused(run_vidconv(c.arguments), exit_command_line, {c.answer}));
  EXPECT_EQ(run_vidconv({"-V"}).out, run_vidconv({"--version"}).out);
  // A wrong value is refused without a guess.
  const Result wrong = run_vidconv({in, "-o", "null:", "--kernel", "gaussian:sigma=1001"});
  EXPECT_TRUE(refused(wrong, exit_command_line, {"1001 is outside 0 to 1000"}));
  EXPECT_EQ(wrong.err.find("list-kernels"), std::string::npos);
  // An existing file of such a name is an input.
  write_file(path("sigma=2"), "P5 1 1 255\nx");
  EXPECT_TRUE(succeeded(
      run_vidconv({path("sigma=2"), "-o", "null:", "--kernel", "box", "--format-in", "pgm_pipe"})));
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
