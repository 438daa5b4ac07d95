// --trace and --stats of every kind of run and outcome are complete or absent.
#include <signal.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;

class Reports : public CliTest {
 protected:
  Arguments with_reports(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--kernel", "box", "--device", "cpu", "--stats",
                                       path("stats.json"), "--trace", path("trace.json")});
    return arguments;
  }
  json stats() const { return json::parse(read_file(path("stats.json"))); }
  // Returns the names of the trace's events.
  std::set<std::string> spans() const {
    std::set<std::string> names;
    const json trace = json::parse(read_file(path("trace.json")));
    for (const json& event : trace.at("traceEvents"))
      if (event.at("ph") == "X") names.insert(event.at("name"));
    return names;
  }
};

TEST_F(Reports, OfRunsThatFail) {
  ffmpeg("-i " + clip() + " -an " + path("in.y4m"));
  const std::string whole = read_file(path("in.y4m"));
  write_file(path("in.y4m"), whole.substr(0, whole.size() - 100));
  for (const std::string out : {"null:", "/nowhere/out.mkv"}) {
    const Result result = run_vidconv(with_reports({path("in.y4m"), "-o", out, "--strict"}));
    EXPECT_EQ(result.exit_code, out == "null:" ? exit_damaged : exit_output);
    EXPECT_EQ(stats().at("outcome"), "failed");
    EXPECT_TRUE(spans().contains("start: input"));
    EXPECT_EQ(spans().contains("decode"), out == "null:");
  }
  EXPECT_EQ(run_vidconv(with_reports({"/nowhere/in.mp4", "-o", "null:"})).exit_code, exit_input);
  EXPECT_FALSE(spans().contains("decode"));
}

TEST_F(Reports, MetricsAreThoseOfStats) {
  const Result result =
      run_vidconv(with_reports({clip(), "-o", path("o.mkv"), "--metrics", path("run.prom")}));
  ASSERT_TRUE(succeeded(result)) << result.err;
  const std::string metrics = read_file(path("run.prom"));
  EXPECT_TRUE(has_line_with(metrics, {"vidconv_run_exit_code 0"})) << metrics;
  EXPECT_TRUE(has_line_with(metrics, {"vidconv_run_frames{stage=\"written\"} 20"})) << metrics;
  EXPECT_TRUE(has_line_with(metrics, {"vidconv_run_info{", "encoder=\"libx264"})) << metrics;
  EXPECT_TRUE(has_line_with(metrics, {"# TYPE vidconv_run_stage_busy_seconds gauge"}));
  EXPECT_EQ(stats().at("command").at(1), clip());
  EXPECT_FALSE(stats().at("host").get<std::string>().empty());
  EXPECT_EQ(stats().at("ended").get<std::string>().size(),
            std::string("2026-01-01T00:00:00Z").size());

  // A failing run writes them too, and they replace earlier ones.
  EXPECT_EQ(
      run_vidconv(with_reports({"/nowhere/in.mp4", "-o", "null:", "--metrics", path("run.prom")}))
          .exit_code,
      exit_input);
  EXPECT_TRUE(has_line_with(read_file(path("run.prom")), {"vidconv_run_exit_code 3"}));
  // Other files are not replaced.
  write_file(path("notes.txt"), "mine");
  EXPECT_NE(
      run_vidconv(with_reports({clip(), "-o", "null:", "--metrics", path("notes.txt")})).exit_code,
      exit_done);
  EXPECT_EQ(read_file(path("notes.txt")), "mine");
}

TEST_F(Reports, OfInterruptedRuns) {
  Process process(command(
      with_reports({"pattern:320x240#1000000", "-o", path("out.mkv"), "--progress", "plain"})));
  ASSERT_TRUE(process.wait_for_stderr("fps", std::chrono::seconds(60)));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().exit_code, exit_interrupted);
  EXPECT_EQ(stats().at("outcome"), "interrupted");
  EXPECT_TRUE(spans().contains("encode"));
}

TEST_F(Reports, OfWhatOnlyLooks) {
  const Result explained = run_vidconv(with_reports({clip(), "-o", "null:", "--explain"}));
  EXPECT_TRUE(succeeded(explained));
  EXPECT_TRUE(has_line_with(explained.out, {"input ", "128x72"}));
  EXPECT_EQ(stats().at("outcome"), "done");
  EXPECT_EQ(stats().at("input").at("width"), 128);
  EXPECT_FALSE(stats().at("plan").empty());
  EXPECT_EQ(stats().at("frames").at("decoded"), 0);
  EXPECT_GT(stats().at("memory").at("host_bytes"), 0);
  EXPECT_TRUE(spans().contains("start: input"));

  EXPECT_TRUE(succeeded(run_vidconv(with_reports({clip(), "-o", path("a.png"), "--gallery"}))));
  EXPECT_EQ(stats().at("frames").at("written"), 1);
  EXPECT_EQ(stats().at("output").at("bytes"), std::filesystem::file_size(path("a.png")));
  EXPECT_TRUE(spans().contains("start: input"));

  EXPECT_TRUE(succeeded(run_vidconv(with_reports({"pattern:64x48", "--benchmark=0.01"}))));
  EXPECT_GT(stats().at("benchmark").at("overlapped_fps"), 0);
  EXPECT_TRUE(spans().contains("start: input"));

  const Result printed =
      run_vidconv({clip(), "-o", "null:", "--kernel", "box", "--explain", "--stats", "-"});
  EXPECT_TRUE(json::accept(printed.out)) << printed.out;
}

TEST_F(Reports, OfTracesThatDoNotFitNothingIsLeft) {
  const Result result =
      shell("ulimit -f 1; " + vidconv() + " pattern:16x16#500 -o null: --kernel box -y --trace " +
            path("trace.json"));
  EXPECT_TRUE(refused(result, exit_output, {"trace", "File too large"}));
  EXPECT_TRUE(std::filesystem::is_empty(path("")));
}

}  // namespace
}  // namespace vidconv::test
