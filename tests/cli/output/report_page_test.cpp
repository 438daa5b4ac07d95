// --report writes one complete page that loads nothing from a network and shows the run.
#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;

class ReportPage : public CliTest {
 protected:
  json page() const {
    const Result result = execute(
        {VIDCONV_PYTHON, VIDCONV_SOURCE_DIR "/tests/cli/support/page.py", path("page.html")});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.exit_code == 0 ? json::parse(result.out) : json();
  }
  Result run(Arguments arguments) const {
    arguments.insert(arguments.end(),
                     {"--kernel", "box", "--device", "cpu", "--report", path("page.html")});
    return run_vidconv(arguments);
  }
};

TEST_F(ReportPage, HasAllThatTheRunDid) {
  ASSERT_TRUE(succeeded(run({clip(), "-o", path("out.mkv"), "--codec", "libx264", "--measure",
                             "psnr,ssim", "--stats", path("stats.json")})));
  const json data = page();
  EXPECT_EQ(data.at("stats"), json::parse(read_file(path("stats.json"))));
  ASSERT_EQ(data.at("pictures").size(), 3U);
  EXPECT_EQ(data.at("pictures")[1].at("frame"), 10);
  EXPECT_NE(data.at("pictures")[1].at("before"), data.at("pictures")[1].at("after"));
  EXPECT_EQ(data.at("scores").size(), 20U);
  EXPECT_GE(data.at("samples").size(), 1U);
}

// Text from outside stays text, whatever it contains.
TEST_F(ReportPage, EndsNoScriptEarly) {
  const std::string name = "</script><script>alert(1)</script><!--.mkv";
  const std::string folder = path("<");
  std::filesystem::create_directories(folder + "/script><!--");
  const std::string input = path("<!-- <script>.mkv");
  std::filesystem::copy_file(clip(), input);
  ASSERT_TRUE(succeeded(run({input, "-o", folder + "/script><!--/out.mkv"})));
  const json data = page();
  EXPECT_EQ(data.at("stats").at("input").at("name"), input);
  EXPECT_EQ(data.at("stats").at("output").at("name"), folder + "/script><!--/out.mkv");
}

TEST_F(ReportPage, IsOfPipesAndReplacesAnOlderOne) {
  ffmpeg("-i " + clip() + " -an " + path("in.y4m"));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(
        succeeded(shell("cat " + path("in.y4m") + " | " + vidconv() +
                        " - -o null: --kernel sobel --device cpu --report " + path("page.html"))));
    EXPECT_EQ(page().at("pictures").at(0).at("frame"), 0);
  }
  write_file(path("page.html"), "<!DOCTYPE html>\nsomebody's own");
  EXPECT_TRUE(refused(run({clip(), "-o", "null:"}), exit_output, {"page.html", "exists"}));
}

TEST_F(ReportPage, PicturesAreThoseThatWereFiltered) {
  ASSERT_TRUE(succeeded(run({"pattern:60x40:rgb24#10", "-o", path("f%02d.png")})));
  const json data = page();
  const std::string& uri = data.at("pictures").at(1).at("after");
  write_file(path("after.txt"), uri.substr(uri.find(',') + 1));
  output_of("base64 -d " + path("after.txt") + " > " + path("after.png"));
  EXPECT_EQ(judge_digests(path("after.png")), judge_digests(path("f06.png")));
}

TEST_F(ReportPage, IsRefusedWhereThereIsNoRun) {
  const auto refusal = [&](const Arguments& arguments, const std::vector<std::string>& parts) {
    EXPECT_TRUE(refused(run(arguments), exit_command_line, parts)) << parts[0];
  };
  refusal({"pattern:64x48#5", "--explain"}, {"--report", "it is of one run"});
  refusal({"pattern:64x48#5", "--benchmark"}, {"--report", "it is of one run"});
  refusal({"pattern:64x48#5", "-o", path("{stem}.mkv")}, {"--report", "it is of one run"});
  EXPECT_TRUE(
      refused(run_vidconv({"pattern:64x48#5", "-o", "null:", "--kernel", "box", "--report", "-"}),
              exit_command_line, {"--report '-'", "it is a file"}));
}

}  // namespace
}  // namespace vidconv::test
