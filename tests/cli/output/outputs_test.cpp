// Several outputs of one run: each is what a run of its own makes, and one that fails leaves the
// others whole.
#include <signal.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"
#include "tests/support/thinning.h"

namespace vidconv::test {
namespace {

struct Output {
  std::string name, options;
};

const std::vector<Output>& outputs() {
  static const std::vector<Output> all = {
      {"a.mp4", "--kernel gaussian:sigma=2"},
      {"b.mkv", "--kernel sobel --codec libx265 --preset ultrafast --crf 30"},
      {"c.mkv", "--kernel sharpen --kernel box --codec ffv1 --audio none"},
      {"d.y4m", "--kernel box --border zero --planes luma"},
      {"e.yuv", "--kernel identity --format raw"},
      {"f%03d.png", "--kernel 'matrix:0,1,0;1,-4,1;0,1,0'"},
      {"g.gif", "--kernel box:size=5"},
      {"h.mkv", "--kernel gaussian:sigma=9:region=10,10,40,30 --audio libopus"},
      {"i.mp4", "--kernel mosaic:size=8:between=0.2-0.5 --shards 2"},
      {"j.mkv", "--kernel sobel --compare split --pix-fmt yuv444p --codec libx264"},
  };
  return all;
}

// Options of all outputs, before the first -o.
const std::vector<std::string>& common_options() {
  static const std::vector<std::string> all = {"", "--frames 7", "--start 0.3 --duration 0.4",
                                               "--threads 1"};
  return all;
}

class Outputs : public CliTest {
 protected:
  // Makes a clip with sound and subtitles.
  std::string input() const {
    write_file(path("words.srt"), "1\n00:00:00,100 --> 00:00:00,500\nHello\n");
    ffmpeg("-i " + clip() + " -i " + path("words.srt") + " -map 0 -map 1 -c copy -c:s srt " +
           path("in.mkv"));
    return path("in.mkv");
  }
  // Returns the words of an output in a folder. Matroska gets a random number unless told.
  std::string words(const std::string& folder, const Output& output) const {
    return " -o " + path(folder + "/" + output.name) + " " + output.options +
           (output.name.ends_with(".mkv") ? " --muxer-opt fflags=+bitexact" : "");
  }
  void make_folder(const std::string& name) const {
    std::filesystem::remove_all(path(name));
    std::filesystem::create_directory(path(name));
  }
  std::map<std::string, std::string> contents(const std::string& folder) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path(folder)))
      files[entry.path().filename()] = read_file(entry.path());
    return files;
  }
  Result run(const std::string& arguments) const { return shell(vidconv() + " " + arguments); }
  // Makes one output by a run of its own, and returns its files.
  std::map<std::string, std::string> alone(const std::string& common, const Output& output) const {
    make_folder("alone");
    EXPECT_TRUE(succeeded(run(common + words("alone", output))));
    return contents("alone");
  }
};

TEST_F(Outputs, EqualRunsOfTheirOwn) {
  const std::string in = input();
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::string>> known;
  const auto expected = [&](const std::string& common, const Output& output) {
    const auto [found, is_new] = known.try_emplace({common, output.name});
    if (is_new) found->second = alone(in + " " + common, output);
    EXPECT_FALSE(found->second.empty());
    return found->second;
  };
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < outputs().size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_taken(i + j, 3)) continue;  // each output meets some others in every share
      const std::string& common = common_options()[pairs++ % common_options().size()];
      const Output& a = outputs()[i];
      const Output& b = outputs()[j];
      SCOPED_TRACE(common + words("", a) + words("", b));
      make_folder("both");
      EXPECT_TRUE(succeeded(run(in + " " + common + words("both", a) + words("both", b))));
      auto files = expected(common, a);
      files.merge(expected(common, b));
      EXPECT_TRUE(contents("both") == files);
    }
}

TEST_F(Outputs, AllAtOnce) {
  const std::string in = input();
  std::string line = in;
  make_folder("all");
  for (const Output& output : outputs()) line += words("all", output);
  EXPECT_TRUE(succeeded(run(line)));
  std::map<std::string, std::string> files;
  for (const Output& output : outputs()) files.merge(alone(in, output));
  EXPECT_TRUE(contents("all") == files);
}

// One that copies reads the file by itself; one that cannot shares what is decoded, and says why.
TEST_F(Outputs, EachDecidesWhatItCopies) {
  ffmpeg(
      "-f lavfi -i testsrc2=size=64x48:rate=25:duration=2.4 -f lavfi -i sine=duration=2.4 -c:v "
      "libx264 -pix_fmt yuv420p -preset ultrafast -g 10 -c:a flac " +
      path("in.mkv"));
  const std::string in = path("in.mkv");
  const Output copies{"copies.mkv",
                      "--kernel box:between=f12-f15 --keep-unchanged --preset ultrafast"},
      other{"other.mkv", "--kernel sobel:between=f31-f33 --codec ffv1 --keep-unchanged"},
      all{"all.mp4", "--kernel sobel --preset ultrafast --keep-unchanged"},
      bare{"bare.y4m", "--kernel box"},
      longer{"longer.mkv",
             "--kernel box:between=f45-f52 --keep-unchanged --preset ultrafast --audit " +
                 path("audit.jsonl")};
  std::map<std::string, std::string> expected;
  std::string line = in;
  make_folder("together");
  for (const Output& output : {copies, other, all, bare, longer}) {
    expected.merge(alone(in, output));
    line += words("together", output);
  }
  const std::string audit = read_file(path("audit.jsonl"));
  std::filesystem::remove(path("audit.jsonl"));
  const Result result = run(line);
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(contents("together") == expected);
  EXPECT_EQ(read_file(path("audit.jsonl")), audit);
  EXPECT_TRUE(has_line_with(result.err, {"copies.mkv: --keep-unchanged", "are copied", "[kept]"}));
  EXPECT_TRUE(has_line_with(result.err, {"longer.mkv: --keep-unchanged", "are copied", "[kept]"}));
  for (const char* name : {"other.mkv", "all.mp4"})
    EXPECT_TRUE(has_line_with(result.err, {name, "all is encoded", "[all-encoded]"})) << name;
  // All of them copy: nothing is left for the shared decoder.
  std::filesystem::remove(path("audit.jsonl"));
  make_folder("both");
  EXPECT_TRUE(succeeded(run(in + words("both", copies) + words("both", longer))));
  for (const auto& [name, bytes] : contents("both"))
    EXPECT_TRUE(bytes == expected.at(name)) << name;
}

TEST_F(Outputs, OneThatCopiesEndsWithTheOthers) {
  ffmpeg("-i " + clip() + " -c:v libx264 -pix_fmt yuv420p -preset ultrafast -g 10 " +
         path("in.mkv"));
  for (const std::string& strict : {std::string(), std::string(" --strict")}) {
    SCOPED_TRACE(strict);
    make_folder("both");
    const Result result =
        run(path("in.mkv") + strict + " -o " + path("nofolder/a.mkv") + " --kernel box -o " +
            path("both/b.mkv") + " --kernel box:between=f12-f15 --keep-unchanged");
    EXPECT_EQ(result.exit_code, exit_output) << result.err;
    EXPECT_EQ(contents("both").size(), strict.empty() ? 1u : 0u) << result.err;
    EXPECT_EQ(has_line_with(result.err, {"b.mkv", "stopped at the failure of", "a.mkv"}),
              !strict.empty())
        << result.err;
  }
}

TEST_F(Outputs, OnesThatCannotReadAgainCopyNothing) {
  const Result result = shell("cat " + clip() + " | " + vidconv() + " - -o " + path("a.mkv") +
                              " --kernel box:between=f1-f2 --keep-unchanged --codec ffv1 -o " +
                              path("b.y4m") + " --kernel box");
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(
      result.err, {"a.mkv: --keep-unchanged: all is encoded", "can be read once", "[all-encoded]"}))
      << result.err;
}

TEST_F(Outputs, OfOtherInputs) {
  ffmpeg("-i " + clip() + " -vf format=yuv420p -f yuv4mpegpipe " + path("in.y4m"));
  ffmpeg("-i " + clip() + " -map 0:v -map 0:v -map 0:a -c copy " + path("two.mkv"));
  ffmpeg("-i " + clip() + " -c copy -metadata:s:v rotate=90 " + path("turned.mp4"));
  const Output a{"a.mkv", "--kernel box"}, b{"b.y4m", "--kernel sobel"}, c{"c.mkv", "--kernel box"};
  for (const auto& [input, second] :
       {std::pair{path("in.y4m"), b},
        {"pattern:64x48:gray16le#9", b},
        {path("turned.mp4"), b},
        {path("turned.mp4") + " --orientation 90", b},
        {path("two.mkv") + " --video all", c},
        {"--raw 64x48:yuv420p --frames 5 - < " + path("in.y4m"), b}}) {
    SCOPED_TRACE(input);
    make_folder("both");
    EXPECT_TRUE(succeeded(run(input + words("both", a) + words("both", second))));
    auto files = alone(input, a);
    files.merge(alone(input, second));
    EXPECT_TRUE(contents("both") == files);
  }
}

TEST_F(Outputs, OptionsBehindStandInThePlaceOfThoseBefore) {
  const std::string in = clip();
  make_folder("both");
  EXPECT_TRUE(
      succeeded(run(in + " --kernel sobel --crf 40 --kernel box -y --encoder-opt tune=film" +
                    words("both", {"a.mkv", "--crf=20"}) +
                    words("both", {"b.mkv", "--kernel identity --threads 2"}))));
  auto files = alone(in + " --threads 2", {"a.mkv",
                                           "--kernel sobel --kernel box --crf 20 "
                                           "--encoder-opt tune=film"});
  files.merge(
      alone(in + " --threads 2", {"b.mkv", "--kernel identity --crf 40 --encoder-opt tune=film"}));
  EXPECT_TRUE(contents("both") == files);
}

TEST_F(Outputs, StandardOutputTakesOne) {
  const Result both = run("pattern:32x32#5 --kernel box -o md5: -o " + path("a.mkv"));
  const Result one = run("pattern:32x32#5 --kernel box -o md5:");
  EXPECT_EQ(both.exit_code, exit_done) << both.err;
  EXPECT_EQ(both.out, one.out);
  EXPECT_TRUE(has_line_with(both.err, {"2 of 2 outputs done"}));
}

TEST_F(Outputs, WhatDoesNotGoWithSeveralIsRefused) {
  write_file(path("list"), "a.mp4\n");
  const std::string two =
      "pattern:32x32#5 --kernel box -o " + path("a.mkv") + " -o " + path("b.mkv");
  struct Case {
    std::string line;
    std::vector<std::string> words;
  };
  const std::string before = "write it before the first -o";
  std::filesystem::create_symlink(path(""), path("link"));
  for (const Case& c : std::vector<Case>{
           {two + " --start 1", {"--start '1'", before}},
           {two + " --frames 1", {"--frames '1'", before}},
           {two + " --duration 1", {"--duration '1'", before}},
           {two + " --video 1", {"--video '1'", before}},
           {two + " --copy-times", {"--copy-times", before}},
           {two + " --format-in mpegts", {"--format-in", before}},
           {two + " --resume", {"--resume", "one output"}},
           {two + " --watch", {"--watch", "one input"}},
           {two + " --recursive", {"--recursive", "one input"}},
           {two + " --skip-done", {"--skip-done", "one input"}},
           {two + " --files-from " + path("list"), {"--files-from", "one input"}},
           {two + " " + path("c.mkv"), {"INPUT", "c.mkv", "one input", "an -o before its name"}},
           {two + " -o '{stem}.mkv'", {"--output '{stem}.mkv'", "one input"}},
           {two + " --benchmark", {"--benchmark", "one output"}},
           {two + " --gallery", {"--gallery", "one output"}},
           {two + " --report " + path("r.html"), {"--report", "of one output"}},
           {two + " --target psnr=40", {"--target", "one output"}},
           {"--latency 100 " + two, {"--latency", "a slow output"}},
           {"--trace t.json " + two, {"--trace 't.json'", "behind the -o"}},
           {"--metrics t.prom " + two, {"--metrics 't.prom'", "behind the -o"}},
           {two + " -o " + path("c.mkv") + " --trace t --metrics t", {"'t'", "one file"}},
           {two + " -o " + path("a.mkv"), {"a.mkv", "one file"}},
           {two + " -o " + path("./a.mkv"), {"a.mkv", "one file"}},
           {two + " -o " + path("link/a.mkv"), {"a.mkv", "one file"}},
           {two + " -o - -o md5:", {"--output 'md5:'", "standard output"}},
           {two + " -o md5: -o md5:", {"--output 'md5:'", "standard output"}},
           {two + " --stats - -o md5:", {"--stats '-'", "stdout"}},
           {two + " --crf 1x", {path("b.mkv") + ": --crf '1x'"}},
           {two + " --kernel nosuch", {path("b.mkv") + ": --kernel 'nosuch'"}},
           {two + " --knel box", {"'--knel'", "did you mean '--kernel'"}},
           {two + " -o ''", {"--output", "empty"}},
           {"plan " + two + " --shards 2 --dir " + path("plan"), {"--output", "one output"}},
           {"pattern:32x32#5 -o a.mkv -o b.mkv --kernel box", {"a.mkv: --kernel", "no filter"}},
       }) {
    SCOPED_TRACE(c.line);
    EXPECT_TRUE(refused(run(c.line), exit_command_line, c.words));
    EXPECT_FALSE(std::filesystem::exists(path("a.mkv")));
  }
}

TEST_F(Outputs, OneThatFailsLeavesTheOthers) {
  write_file(path("there.mkv"), "precious");
  ASSERT_TRUE(succeeded(shell("mkfifo " + path("fifo.y4m"))));
  const std::string input = "pattern:320x240#60 --kernel box";
  const Output good{"good.mkv", "--crf 20"};
  const std::map<std::string, std::string> expected = alone(input, good);
  struct Case {
    std::string name, options;
    Exit code;
  };
  std::size_t turn = 0;
  const std::string reader = "(head -c 300000 " + path("fifo.y4m") + " > /dev/null &) ; ";
  for (const Case& c :
       std::vector<Case>{{path("bad.mkv"), "--codec nosuch", exit_command_line},
                         {path("bad.mkv"), "--encoder-opt nosuch=1", exit_command_line},
                         {path("bad.mkv"), "--muxer-opt nosuch=1", exit_command_line},
                         {path("bad.mp4"), "--codec ffvhuff", exit_output},
                         {path("there.mkv"), "", exit_output},
                         {path("nofolder/bad.mkv"), "", exit_output},
                         {path("bad.mkv"), "--kernel box:region=900,900,5,5", exit_command_line},
                         {"/dev/full", "--format matroska --codec ffv1", exit_output},
                         {"/dev/full", "--format y4m", exit_output},
                         {"/dev/full", "--format nut --codec ffv1", exit_output},
                         {path("fifo.y4m"), "", exit_output}})
    for (const bool first : {false, true})
      for (const bool strict : {false, true}) {
        ++turn;
        if (!is_taken(turn + turn / 4, 2)) continue;
        SCOPED_TRACE(c.name + " " + c.options + (first ? " first" : "") +
                     (strict ? " strict" : ""));
        make_folder("both");
        const std::string bad = " -o " + c.name + " " + c.options;
        const std::string both = first ? bad + words("both", good) : words("both", good) + bad;
        const Result result =
            shell((c.name == path("fifo.y4m") ? reader : "") + vidconv() + " " + input + both +
                  (strict ? " --strict" : "") + " --stats " + path("stats.json"));
        EXPECT_EQ(result.exit_code, c.code) << result.err;
        EXPECT_TRUE(has_line_with(result.err, {"vidconv: " + c.name + ": "}));
        EXPECT_TRUE(has_line_with(result.err, {strict ? "0 of 2 outputs done, 2 failed"
                                                      : "1 of 2 outputs done, 1 failed"}))
            << result.err;
        EXPECT_EQ(read_file(path("there.mkv")), "precious");
        EXPECT_FALSE(std::filesystem::exists(path("bad.mkv")));
        const auto stats = nlohmann::json::parse(read_file(path("stats.json")));
        EXPECT_EQ(stats["exit_code"], c.code);
        ASSERT_EQ(stats["outputs"].size(), 2u);
        const auto& of_bad = stats["outputs"][first ? 0 : 1];
        const auto& of_good = stats["outputs"][first ? 1 : 0];
        EXPECT_EQ(of_bad["outcome"], "failed");
        EXPECT_EQ(of_bad["exit_code"], c.code);
        if (strict) {
          EXPECT_TRUE(contents("both").empty());
          EXPECT_EQ(of_good["error"]["class"], "strict");
          EXPECT_EQ(of_good["error"]["value"], c.name);
        } else {
          EXPECT_TRUE(contents("both") == expected);
          EXPECT_EQ(of_good["outcome"], "done");
          EXPECT_EQ(of_good["frames"]["written"], 60);
        }
      }
}

TEST_F(Outputs, AllMayFail) {
  const Result result =
      run("pattern:32x32#5 --kernel box -o /dev/full --format y4m -o " + path("nofolder/a.mkv"));
  EXPECT_EQ(result.exit_code, exit_output);
  EXPECT_TRUE(has_line_with(result.err, {"0 of 2 outputs done, 2 failed"}));
  const Result missing =
      run(path("missing.mkv") + " --kernel box -o " + path("a.mkv") + " -o " + path("b.mkv"));
  EXPECT_EQ(missing.exit_code, exit_input);
  EXPECT_TRUE(has_line_with(missing.err, {"a.mkv: cannot open the input", "missing.mkv"}));
  EXPECT_TRUE(has_line_with(missing.err, {"b.mkv: cannot open the input", "missing.mkv"}));
}

TEST_F(Outputs, DamageIsEachOutputs) {
  ffmpeg("-i " + clip() + " -c copy -f matroska " + path("whole.mkv"));
  const std::string whole = read_file(path("whole.mkv"));
  write_file(path("cut.mkv"), whole.substr(0, whole.size() * 2 / 3));
  const std::string line = path("cut.mkv") + " --threads 1 --kernel box";
  const Output a{"a.mkv", ""}, b{"b.y4m", ""};
  make_folder("both");
  const Result result = run(line + words("both", a) + words("both", b));
  EXPECT_EQ(result.exit_code, exit_damaged) << result.err;
  make_folder("alone");
  for (const Output& output : {a, b})
    EXPECT_EQ(run(line + words("alone", output)).exit_code, exit_damaged);
  EXPECT_TRUE(contents("both") == contents("alone"));
  make_folder("both");
  const Result strict = run(line + " --strict" + words("both", a) + words("both", b));
  EXPECT_NE(strict.exit_code, exit_done);
  EXPECT_TRUE(contents("both").empty());
}

TEST_F(Outputs, ASignalEndsAllWithTheSameFrames) {
  for (const int signal : {SIGTERM, SIGINT}) {
    make_folder("both");
    Process process(command({"pattern:320x240", "--kernel", "box", "--progress", "plain", "-o",
                             path("both/a.mkv"), "-o", path("both/b.y4m"), "-o",
                             path("both/c%04d.png"), "--stats", path("stats.json"), "-y"}));
    EXPECT_TRUE(process.wait_for_stderr("fps", std::chrono::seconds(60)));
    process.signal(signal);
    const Result result = process.wait();
    EXPECT_EQ(result.exit_code, 128 + signal) << result.err;
    EXPECT_TRUE(has_line_with(result.err, {"a.mkv: interrupted: the output holds"}));
    EXPECT_TRUE(has_line_with(result.err, {"b.y4m: interrupted: the output holds"}));
    const auto stats = nlohmann::json::parse(read_file(path("stats.json")));
    const auto frames = stats["outputs"][0]["frames"]["written"].get<std::size_t>();
    EXPECT_GT(frames, 0u);
    for (const auto& output : stats["outputs"]) {
      EXPECT_EQ(output["frames"]["written"], frames);
      EXPECT_EQ(output["outcome"], "interrupted");
      EXPECT_EQ(output["exit_code"], 128 + signal);
    }
    EXPECT_EQ(judge_digests(path("both/a.mkv")).frames.size(), frames);
    EXPECT_EQ(contents("both").size(), 2 + frames);
  }
}

TEST_F(Outputs, ReportsAreOfEach) {
  const Result result = run(
      clip() + " --kernel box -o " + path("a.mkv") + " --measure psnr --measure-log " +
      path("a.log") + " --metrics " + path("a.prom") + " --trace " + path("a.json") + " -o " +
      path("b.mkv") + " --audit " + path("b.audit") +
      " --kernel box:region=0,0,9,9 --verify=2 -q --progress json --stats " + path("stats.json"));
  EXPECT_EQ(result.exit_code, exit_done) << result.err;
  for (const char* name : {"a.log", "a.prom", "a.json", "b.audit"})
    EXPECT_FALSE(read_file(path(name)).empty()) << name;
  const auto stats = nlohmann::json::parse(read_file(path("stats.json")));
  EXPECT_EQ(stats["schema"], 1);
  EXPECT_EQ(stats["exit_code"], 0);
  EXPECT_EQ(stats["outputs"][0]["output"]["name"], path("a.mkv"));
  EXPECT_TRUE(stats["outputs"][0].contains("measured"));
  EXPECT_FALSE(stats["outputs"][1].contains("measured"));
  EXPECT_EQ(stats["outputs"][0]["frames"]["verified"], 0);
  EXPECT_EQ(stats["outputs"][1]["frames"]["verified"], 10);
}

TEST_F(Outputs, ProgressIsThatOfTheHindmost) {
  const Result result = run("pattern:320x240#60 --kernel box --progress json -o " + path("a.mkv") +
                            " -o null: -o /dev/full --format y4m");
  std::string last;
  for (const std::string& line : split_lines(result.err))
    if (line.starts_with("{")) last = line;
  EXPECT_EQ(nlohmann::json::parse(last)["frame"], 60) << result.err;
}

TEST_F(Outputs, ExplainTellsOfEach) {
  const Result result = run("pattern:32x32#5 --kernel box -o " + path("a.mkv") +
                            " -o b.y4m --kernel sobel --explain");
  EXPECT_EQ(result.exit_code, exit_done) << result.err;
  EXPECT_TRUE(has_line_with(result.out, {"output", "a.mkv"}));
  EXPECT_TRUE(has_line_with(result.out, {"output", "b.y4m"}));
  EXPECT_TRUE(has_line_with(result.out, {"filter", "sobel"}));
  EXPECT_FALSE(std::filesystem::exists(path("a.mkv")));
}

}  // namespace
}  // namespace vidconv::test
