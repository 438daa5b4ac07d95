// --target finds the lowest quality that reaches the measure.
#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;

class TargetQuality : public CliTest {
 protected:
  json found(const Arguments& arguments) const {
    Arguments all = {"--kernel", "box", "--device", "cpu", "-y", "--stats", path("stats.json")};
    all.insert(all.end(), arguments.begin(), arguments.end());
    result_ = run_vidconv(all);
    EXPECT_TRUE(succeeded(result_));
    return json::parse(read_file(path("stats.json")));
  }
  // Returns the measure of the whole input at a quality.
  double at_quality(const std::string& input, const std::string& measure, int crf) const {
    const json stats = found({input, "-o", path("at.mkv"), "--codec", "mpeg4", "--crf",
                              std::to_string(crf), "--measure", measure});
    return stats.at("measured").at(measure).at("all");
  }
  mutable Result result_;
};

// A short input is measured whole, so that the result holds for all of it.
TEST_F(TargetQuality, IsTheWorstThatReachesIt) {
  const std::string input = "pattern:96x64#25";
  for (const auto& [measure, wanted] : {std::pair{"psnr", 38.0}, {"ssim", 0.97}}) {
    const json stats = found({input, "-o", path("out.mkv"), "--codec", "mpeg4", "--target",
                              std::string(measure) + "=" + std::to_string(wanted)});
    const json& target = stats.at("target");
    EXPECT_EQ(target.at("measure"), measure);
    EXPECT_EQ(target.at("encoder"), "mpeg4");
    const int crf = target.at("crf").get<int>();
    EXPECT_TRUE(
        has_line_with(result_.err, {": quality " + std::to_string(crf) + " of mpeg4 gives"}));
    EXPECT_TRUE(has_line_with(result_.err, {"qscale=" + std::to_string(crf)}));
    EXPECT_GE(at_quality(input, measure, crf), wanted);
    EXPECT_LT(at_quality(input, measure, crf + 1), wanted);
    EXPECT_NEAR(target.at("value").get<double>(), at_quality(input, measure, crf), 1e-9);
    EXPECT_NEAR(stats.at("measured").at(measure).at("all").get<double>(),
                target.at("value").get<double>(), 1e-9);
  }
}

TEST_F(TargetQuality, LooksAtPartsOfLongInputs) {
  const json target = found({"pattern:64x48@10#300", "--start", "2", "-o", path("out.mkv"),
                             "--codec", "mpeg4", "--target", "psnr=36"})
                          .at("target");
  ASSERT_EQ(target.at("parts").size(), 3U);
  EXPECT_NEAR(target.at("parts")[0].at("start").get<double>(), 2 + 28.0 / 6 - 1, 0.1);
  EXPECT_GE(target.at("value").get<double>(), 36);
}

// Frames keep their numbers of the whole input in each range: of the ranges from 1, 5 and 9 s on,
// the filter acts in half of the first, and in the last.
TEST_F(TargetQuality, CountsTheFramesBeforeAPart) {
  const std::string input = path("long.mkv");
  ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=10:duration=12 -c:v mpeg4 -g 7 -bf 2 " + input);
  const auto target = [&](const std::string& when) {
    return found({input, "-o", path("out.mkv"), "--codec", "mpeg4", "--target", "psnr=33",
                  "--kernel", "gaussian:sigma=3:between=" + when})
        .at("target");
  };
  const json by_number = target("f20-f40,f90-f110");
  EXPECT_EQ(by_number.at("parts").size(), 3U);
  EXPECT_EQ(by_number, target("2-4.1,9-11.1"));
  EXPECT_NE(by_number.at("tried"), target("f30-f40").at("tried"));
}

// Encoding that only finds the quality does not count as the run.
TEST_F(TargetQuality, CountsBoxesOfTheRunAlone) {
  write_file(path("boxes.jsonl"),
             "{\"frame\": 0, \"id\": 1, \"box\": [0, 0, 16, 16]}\n"
             "{\"frame\": 24, \"id\": 1, \"box\": [8, 8, 16, 16]}\n");
  const json stats = found({"pattern:96x64#25", "-o", path("out.mkv"), "--codec", "mpeg4",
                            "--target", "psnr=30", "--regions", path("boxes.jsonl")});
  EXPECT_EQ(stats.at("ledger").at("regions").at(0).at("frames"), 25);
}

TEST_F(TargetQuality, RefusesWhatCannotBe) {
  const auto refusal = [&](Arguments arguments, const std::vector<std::string>& parts) {
    arguments.insert(arguments.end(), {"--kernel", "box", "--device", "cpu"});
    EXPECT_TRUE(refused(run_vidconv(arguments), exit_command_line, parts)) << parts[0];
  };
  const std::string in = "pattern:64x48#5", out = path("out.mkv");
  refusal({in, "-o", out, "--target", "40"}, {"--target '40'", "e.g. psnr=40"});
  refusal({in, "-o", out, "--target", "quality=3"}, {"not a measure and its value"});
  refusal({in, "-o", out, "--target", "psnr=high"}, {"--target 'psnr=high'"});
  refusal({in, "-o", out, "--target", "ssim=1.5"}, {"--target 'ssim=1.5'"});
  refusal({in, "-o", out, "--target", "psnr=40", "--crf", "20"}, {"--crf and --bitrate say"});
  refusal({in, "-o", out, "--target", "psnr=40", "--bitrate", "1M"}, {"--crf and --bitrate say"});
  refusal({in, "-o", out, "--target", "psnr=40", "--codec", "ffv1"}, {"ffv1 has no scale"});
  refusal({in, "-o", "null:", "--target", "psnr=40"}, {"the output is null"});
  refusal({in, "-o", path("{stem}.mkv"), "--target", "psnr=40"}, {"it is for one input"});
  refusal({"-", "-o", out, "--target", "psnr=40"}, {"the input is a pipe"});
  refusal({in, "-o", out, "--target", "psnr=99", "--codec", "mpeg4"}, {"mpeg4 does not reach it"});
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace vidconv::test
