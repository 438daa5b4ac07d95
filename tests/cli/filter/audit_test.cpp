// Checks --audit from the files alone.
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Audit : public CliTest {
 protected:
  Audit() {
    ffmpeg("-f lavfi -i testsrc2=s=65x49:r=10:d=0.5 -pix_fmt yuv420p10le -c:v ffv1 " +
           path("in.mkv"));
  }
  Result filter(const std::string& kernel, const Arguments& more = {}) const {
    Arguments all{path("in.mkv"), "-o",       path("out.mkv"), "-y",      "--codec",
                  "ffv1",         "--kernel", kernel,          "--audit", path("audit.jsonl")};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  }
  Result check(const std::string& input, const std::string& output) const {
    return shell("python3 " + std::string(VIDCONV_SOURCE_DIR) + "/samples/check_audit.py " +
                 path("audit.jsonl") + " " + path(input) + " " + path(output));
  }
  std::vector<nlohmann::json> lines() const {
    std::vector<nlohmann::json> all;
    std::ifstream file(path("audit.jsonl"));
    for (std::string line; std::getline(file, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
};

TEST_F(Audit, IsWhatTheFilesHold) {
  std::ofstream(path("boxes.jsonl")) << "{\"frame\": 1, \"id\": 1, \"box\": [5, 5, 21, 17]}\n"
                                        "{\"frame\": 3, \"id\": 1, \"box\": [25, 9, 21, 17]}\n";
  const std::vector<std::pair<std::string, Arguments>> runs{
      {"gaussian:sigma=4:region=3,5,20,11", {}},
      {"gaussian:sigma=4:region=3,5,20,11:invert=1", {"--scan", "interlaced"}},
      {"box:size=9:region=20,20,9,9:feather=5", {}},
      {"sharpen", {"--planes", "luma"}},
      {"box:size=9", {"--regions", path("boxes.jsonl") + ":shape=ellipse"}}};
  for (const auto& [kernel, more] : runs) {
    SCOPED_TRACE(kernel);
    ASSERT_TRUE(succeeded(filter(kernel, more)));
    const Result result = check("in.mkv", "out.mkv");
    EXPECT_TRUE(succeeded(result)) << result.out;
    EXPECT_TRUE(has_line_with(result.out, {"5 frames are as the audit says"}));
  }
  const std::vector<nlohmann::json> frames = lines();
  ASSERT_EQ(frames.size(), 5u);
  EXPECT_EQ(frames[0]["components"][0]["inside"]["samples"], 0);
  EXPECT_NE(frames[2]["components"][0]["inside"]["before"],
            frames[2]["components"][0]["inside"]["after"]);
  EXPECT_DOUBLE_EQ(frames[2]["time"].get<double>(), 0.2);
  // The audit tells one video from another, even if the other begins with the audited frames.
  EXPECT_EQ(check("out.mkv", "in.mkv").exit_code, 1);
  ffmpeg("-i " + path("out.mkv") + " -i " + path("in.mkv") +
         " -filter_complex '[0:v][1:v]concat' -c:v ffv1 " + path("longer.mkv"));
  ffmpeg("-i " + path("out.mkv") + " -frames:v 4 -c:v ffv1 " + path("shorter.mkv"));
  EXPECT_TRUE(has_line_with(check("in.mkv", "longer.mkv").out, {"has 10 frames, the audit 5"}));
  EXPECT_EQ(check("in.mkv", "longer.mkv").exit_code, 1);
  EXPECT_EQ(check("longer.mkv", "out.mkv").exit_code, 1);
  EXPECT_TRUE(has_line_with(check("in.mkv", "shorter.mkv").out, {"has 4 frames, the audit 5"}));
}

TEST_F(Audit, IsThereWhenAllWentWell) {
  EXPECT_TRUE(refused(filter("box:region=60,0,9,9"), exit_command_line, {"ends at 69,9"}));
  EXPECT_FALSE(std::filesystem::exists(path("audit.jsonl")));
  EXPECT_TRUE(refused(filter("box", {"--audit", "-"}), exit_command_line, {"--audit"}));
  EXPECT_TRUE(refused(
      run_vidconv({path("in.mkv"), "-o", "null:", "--kernel", "box", "--audit", path("in.mkv")}),
      exit_output, {"in.mkv"}));
  EXPECT_TRUE(refused(run_vidconv({path("in.mkv"), "-o", "null:", "--kernel", "box", "--audit",
                                   path("a"), "--video", "all"}),
                      exit_command_line, {"--audit", "one video"}));
}

}  // namespace
}  // namespace vidconv::test
