// --shards gives the same bytes for every number of --jobs, whatever the other options are.
#include <signal.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;

class Shards : public CliTest {
 protected:
  // Returns the output's bytes if 1 and 3 jobs give the same; empty otherwise.
  std::string encode(const Arguments& arguments, const std::string& name = "out.mp4") const {
    std::set<std::string> outputs;
    for (const char* jobs : {"1", "3"}) {
      Arguments all = arguments;
      all.insert(all.end(), {"-o", path(name), "-y", "--kernel", "box", "--jobs", jobs});
      EXPECT_TRUE(succeeded(run_vidconv(all)));
      outputs.insert(read_file(path(name)));
    }
    EXPECT_EQ(outputs.size(), 1U);
    return outputs.size() == 1 ? *outputs.begin() : "";
  }
  // Returns the times of key frames, in seconds.
  std::string keys(const std::string& name) const {
    std::string all;
    for (const std::string& line : probe(path(name), "packet=pts_time,flags"))
      if (const std::size_t key = line.find(",K"); key != line.npos)
        all += line.substr(0, key) + " ";
    return all;
  }
};

TEST_F(Shards, GoWithEverythingElse) {
  const std::string input = clip();  // 20 frames, with sound
  for (const Arguments& more :
       std::vector<Arguments>{{},
                              {"--compare", "side"},
                              {"--verify"},
                              {"--start", "0.2", "--duration", "0.4"},
                              {"--codec", "libx265", "--preset", "ultrafast"},
                              {"--codec", "mpeg4", "--encoder-opt", "bf=2"},
                              {"--frames", "7"},
                              {"--slots", "1"},
                              {"--video", "1"}}) {
    Arguments arguments{input, "--shards", "3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    SCOPED_TRACE(more.empty() ? "" : more[0]);
    EXPECT_FALSE(encode(arguments).empty());
    EXPECT_TRUE(succeeded(shell("ffmpeg -v error -xerror -i " + path("out.mp4") + " -f null -")));
  }
  // The sound is the same as without --shards.
  encode({input, "--shards", "0.3s"});
  EXPECT_EQ(keys("out.mp4"), "0.000000 0.320000 0.600000 ");
  EXPECT_TRUE(succeeded(run_vidconv({input, "-o", path("one.mp4"), "--kernel", "box"})));
  EXPECT_EQ(packet_hashes(path("out.mp4"), "a"), packet_hashes(path("one.mp4"), "a"));
  EXPECT_EQ(frame_times(path("out.mp4")), frame_times(path("one.mp4")));
}

TEST_F(Shards, DoNotDependOnTheMachine) {
  const std::string input = clip();
  const std::string bytes = encode({input, "--shards", "2"});
  EXPECT_TRUE(succeeded(shell("taskset -c 0 " + vidconv() + " " + input + " -y -o " +
                              path("out.mp4") + " --kernel box --shards 2")));
  EXPECT_EQ(read_file(path("out.mp4")), bytes);
}

TEST_F(Shards, ArePartsOfWhatComesThroughPipes) {
  const std::string line = vidconv() + " pattern:64x48@25#20 -o - --kernel box | " + vidconv() +
                           " - -y --kernel box -o " + path("piped.mkv");
  EXPECT_TRUE(succeeded(shell(line + " --shards 0.4s --jobs 2")));
  EXPECT_EQ(keys("piped.mkv"), "0.000000 0.400000 ");
  EXPECT_TRUE(refused(shell(line + " --shards 2"), exit_command_line,
                      {"--shards", "2", "length of the input is not known", "--shards 10s"}));
}

TEST_F(Shards, CountFramesOfY4mFiles) {
  EXPECT_TRUE(
      succeeded(run_vidconv({"pattern:64x48@25#20", "-o", path("a.y4m"), "--kernel", "identity"})));
  EXPECT_TRUE(encode({path("a.y4m"), "--shards", "2"}) ==
              encode({path("a.y4m"), "--shards", "0.4s"}));
  EXPECT_EQ(keys("out.mp4"), "0.000000 0.400000 ");
}

TEST_F(Shards, WrongWordsAreRefused) {
  for (const auto& [more, words] : std::vector<std::pair<Arguments, std::vector<std::string>>>{
           {{"--shards", "0"}, {"--shards", "0", "10s"}},
           {{"--shards", "many"}, {"--shards", "many", "auto"}},
           {{"--shards", "0.01s"}, {"--shards", "0.01s"}},
           {{"--jobs", "2"}, {"--jobs", "--shards auto"}},
           {{"--shards", "2", "--jobs", "0"}, {"--jobs", "0"}},
           {{"--shards", "2", "--bitrate", "5M"}, {"--shards", "--bitrate 5M", "--crf"}},
           {{"--shards", "2", "--encoder-opt", "pass=1"}, {"--shards", "pass=1", "first"}},
           {{"--shards", "2", "--video", "all"}, {"--shards", "--video"}}}) {
    Arguments arguments{clip(), "-o", path("a.mkv"), "--kernel", "box"};
    if (more.back() == "all") {
      ffmpeg("-f lavfi -i testsrc2=size=64x48:duration=0.2 -map 0 -map 0 " + path("two.mkv"));
      arguments[0] = path("two.mkv");
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_TRUE(refused(run_vidconv(arguments), exit_command_line, words));
    EXPECT_FALSE(std::filesystem::exists(path("a.mkv")));
  }
}

TEST_F(Shards, AreCountedAndExplained) {
  const Arguments arguments{"pattern:64x48@25#50",
                            "-o",
                            path("a.mkv"),
                            "--kernel",
                            "box",
                            "--shards",
                            "0.5s",
                            "--jobs",
                            "2",
                            "--slots",
                            "3",
                            "--stats",
                            path("stats"),
                            "--progress",
                            "json"};
  const Result result = run_vidconv(arguments);
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"a.mkv", "in parts of 0.5 s"}));
  const json stats = json::parse(read_file(path("stats")));
  EXPECT_EQ(stats.at("shards"), (json{{"asked_for", "0.5s"}, {"written", 4}}));
  EXPECT_EQ(stats.at("frames").at("written"), 50);
  EXPECT_TRUE(has_line_with(result.err, {"\"parts\":"}));
  Arguments explain = arguments;
  explain.push_back("--explain");
  EXPECT_TRUE(has_line_with(run_vidconv(explain).out,
                            {"shards  parts of 0.5 s", "2 at once", "3 frames wait", "MiB"}));
}

TEST_F(Shards, AutoSaysWhatItChose) {
  const Result chosen = run_vidconv({"pattern:64x48@25#750", "-o", path("a.mkv"), "--kernel", "box",
                                     "--preset", "ultrafast", "--shards", "auto", "--jobs", "2"});
  EXPECT_TRUE(has_line_with(chosen.err, {"--shards auto: 4 parts, 2 at once", "[shards-chosen]"}));
  EXPECT_EQ(keys("a.mkv").substr(0, 9), "0.000000 ");
}

// The output so far has no gaps, and plays.
TEST_F(Shards, InterruptedRunsArePlayable) {
  Process process(command({"pattern:128x72@25#1000000", "-o", path("a.mkv"), "--kernel", "box",
                           "--shards", "0.4s", "--jobs", "3", "--progress", "plain"}));
  EXPECT_TRUE(process.wait_for_stderr("parts", std::chrono::seconds(60)));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().exit_code, exit_interrupted);
  EXPECT_TRUE(succeeded(shell("ffmpeg -v error -xerror -i " + path("a.mkv") + " -f null -")));
  const std::vector<std::string> times = frame_times(path("a.mkv"));
  ASSERT_GT(times.size(), 10U);
  EXPECT_EQ(times[0], "0.000000");
  for (std::size_t i = 1; i < times.size(); ++i)
    EXPECT_NEAR(std::stod(times[i]) - std::stod(times[i - 1]), 0.04, 0.002);
}

TEST_F(Shards, FullDisksLeaveNothing) {
  for (const int bytes : {0, 700, 5000, 30000}) {
    const Result result =
        shell("export VIDCONV_DISK_BYTES=" + std::to_string(bytes) +
              " VIDCONV_DISK_ERROR=28 ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0; "
              "LD_PRELOAD=" VIDCONV_FAULTS " " +
              vidconv() + " pattern:320x180@25#40 --kernel box --crf 1 --shards 4 --jobs 3 -o " +
              path("full.mkv"));
    EXPECT_TRUE(refused(result, exit_output, {"No space left on device"}));
    EXPECT_FALSE(std::filesystem::exists(path("full.mkv")));
  }
}

}  // namespace
}  // namespace vidconv::test
