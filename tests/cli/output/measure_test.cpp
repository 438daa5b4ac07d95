// Tests options that measure and check the work: --stats, --benchmark, --trace, --verify.
#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;

class Measure : public CliTest {};

TEST_F(Measure, StatsTellTheWork) {
  const Result result = run_vidconv({clip(), "-o", path("out.mp4"), "--kernel", "gaussian",
                                     "--device", "cpu", "--stats", path("stats.json")});
  ASSERT_TRUE(succeeded(result));
  const json stats = json::parse(read_file(path("stats.json")));
  EXPECT_EQ(stats.at("frames").at("decoded"), 20);
  EXPECT_EQ(stats.at("frames").at("filtered"), 20);
  EXPECT_EQ(stats.at("frames").at("encoded"), 20);
  EXPECT_GT(stats.at("seconds"), 0);
  EXPECT_GT(stats.at("fps"), 0);
  EXPECT_TRUE(stats.at("limiting_stage").is_string());
  EXPECT_GE(stats.at("stages").size(), 3U);
  for (const json& stage : stats.at("stages")) {
    EXPECT_TRUE(stage.at("name").is_string());
    EXPECT_GE(stage.at("busy_seconds"), 0);
    EXPECT_GE(stage.at("fps"), 0);
  }
  EXPECT_TRUE(stats.contains("device"));
  EXPECT_TRUE(stats.contains("plan"));
  EXPECT_TRUE(stats.contains("memory"));
}

TEST_F(Measure, BenchmarkTellsEachStageAndAll) {
  const Result result =
      run_vidconv({"pattern:128x72", "--kernel", "box", "--benchmark=0.1", "--device", "cpu"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.out, {"convolve"}));
  EXPECT_TRUE(has_line_with(result.out, {"all at once"}));
}

TEST_F(Measure, BenchmarkWritesStats) {
  EXPECT_TRUE(succeeded(run_vidconv({"pattern:128x72", "--kernel", "box", "--benchmark=0.1",
                                     "--device", "cpu", "--stats", path("stats.json")})));
  const json stats = json::parse(read_file(path("stats.json")));
  EXPECT_GT(stats.at("benchmark").at("overlapped_fps"), 0);
  EXPECT_EQ(stats.at("benchmark").at("slowest"), "convolve");
  EXPECT_TRUE(stats.at("benchmark").at("bus").is_null());
  EXPECT_TRUE(stats.at("sandbox").at("in_force").is_array());
}

TEST_F(Measure, TraceTellsEveryFrame) {
  EXPECT_TRUE(succeeded(run_vidconv({"pattern:64x48#10", "-o", "null:", "--kernel", "box",
                                     "--device", "cpu", "--trace", path("trace.json")})));
  std::map<std::string, int> spans;
  const json trace = json::parse(read_file(path("trace.json")));
  for (const json& event : trace.at("traceEvents"))
    if (event.at("ph") == "X") ++spans[event.at("name")];
  EXPECT_EQ(spans, (std::map<std::string, int>{{"end: output", 1},
                                               {"start: device", 1},
                                               {"start: input", 1},
                                               {"start: output", 1},
                                               {"start: processor", 1},
                                               {"convolve", 10},
                                               {"decode", 10},
                                               {"encode", 10},
                                               {"submit", 10}}));
  EXPECT_TRUE(refused(run_vidconv({"pattern:64x48#10", "-o", "null:", "--kernel", "box", "--trace",
                                   path("no/such/folder/trace.json")}),
                      exit_output, {"trace"}));
}

TEST_F(Measure, VerifyComparesTheOtherPath) {
  const Result result = run_vidconv(
      {"pattern:64x48#10", "-o", "null:", "--kernel", "gaussian", "--verify=3", "--device", "cpu"});
  EXPECT_TRUE(succeeded(result));
  // These are frames 0, 3, 6 and 9.
  EXPECT_TRUE(has_line_with(result.err, {"4 verified by "}));
}

// On the CPU alone, frames are verified by another fast variant, not by the reference, which takes
// a hundred times as long, and never by the same variant.
TEST_F(Measure, VerifyOnTheCpuTakesAnotherVariant) {
  const auto verified_by = [&](const Arguments& more) {
    Arguments all{"env",      "CUDA_VISIBLE_DEVICES=",
                  vidconv(),  "pattern:64x48:gray#4",
                  "-o",       "null:",
                  "--device", "cpu",
                  "--verify"};
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), {"--stats", path("s.json")});
    const Result result = execute(all);
    EXPECT_TRUE(succeeded(result));
    const json stats = json::parse(read_file(path("s.json")));
    const auto by = stats.at("verified_by").get<std::string>();
    EXPECT_TRUE(has_line_with(result.err, {"4 verified by " + by + " "}));
    for (const json& step : stats.at("plan")) {
      if (step.at("action") != "filter") continue;
      EXPECT_EQ(by.find(step.at("variant").get<std::string>()), std::string::npos) << by;
    }
    return by;
  };
  for (const std::string kernel : {"gaussian:sigma=2", "sobel", "box:size=9", "random:1,101"})
    EXPECT_EQ(verified_by({"--kernel", kernel}).find("reference"), std::string::npos) << kernel;
  EXPECT_EQ(verified_by({"--kernel", "gaussian", "--variant", "cpu-generic"}).find("reference"),
            std::string::npos);
  EXPECT_NE(verified_by({"--kernel", "gaussian", "--variant", "reference"}), "reference");
}

}  // namespace
}  // namespace vidconv::test
