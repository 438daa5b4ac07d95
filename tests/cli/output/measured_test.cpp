// Compares --measure with ffmpeg's filters psnr and ssim, which compare the output with a lossless
// copy of the filtered frames.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;

class Measured : public CliTest {
 protected:
  // The parsed --measure-log: the lines of frames, and the last line.
  struct Log {
    std::vector<json> frames;
    json summary;
  };
  Log log() const {
    Log log;
    for (const std::string& line : split_lines(read_file(path("log.jsonl")))) {
      const json parsed = json::parse(line);
      if (parsed.contains("frame")) log.frames.push_back(parsed);
      if (parsed.contains("summary")) log.summary = parsed.at("summary");
    }
    return log;
  }

  // Returns the values of a line "y:42.1 u:43" by name.
  static std::map<std::string, std::string> words_of(const std::string& line) {
    std::map<std::string, std::string> words;
    std::istringstream stream(line);
    for (std::string word; stream >> word;)
      if (const auto colon = word.find(':'); colon != word.npos)
        words[word.substr(0, colon)] = word.substr(colon + 1);
    return words;
  }

  // Returns the filter's line for each frame, and its last line for all.
  // The decoder adds neutral chroma to grey pictures; `plane` removes it.
  std::vector<std::string> judge(const std::string& filter, const std::string& plane) const {
    const Result result = shell(fmt::format(
        "ffmpeg -v info -nostdin -i {} -i {} -lavfi '[0:v]{}setpts=N[a];[1:v]{}setpts=N[b];[a][b]"
        "{}=stats_file={}' -f null -",
        path("out.mkv"), path("copy.mkv"), plane, plane, filter, path(filter)));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<std::string> lines = split_lines(read_file(path(filter)));
    // Later versions warn if only one input has a colour range: that line is skipped.
    for (const std::string& line : split_lines(result.err))
      if (line.find("Parsed_" + filter) != line.npos &&
          line.find("different color ranges") == line.npos)
        lines.push_back(line);
    return lines;
  }

  static std::string printed(const json& value, const char* format) {
    return value.is_null() ? "inf" : fmt::format(fmt::runtime(format), value.get<double>());
  }

  // The filter also calls components r, g and b; Y of grey is y.
  static void expect_psnr(const Log& log, const std::vector<std::string>& judged) {
    ASSERT_EQ(judged.size(), log.frames.size() + 1);
    for (std::size_t i = 0; i < log.frames.size(); ++i) {
      auto words = words_of(judged[i]);
      for (const auto& [name, value] : log.frames[i].at("psnr").items()) {
        const std::string as = name == "all" ? "avg" : name;
        EXPECT_EQ(words["psnr_" + as], printed(value, "{:.2f}")) << judged[i];
        EXPECT_EQ(words["mse_" + as], printed(log.frames[i].at("mse").at(name), "{:.2f}"));
      }
    }
    auto words = words_of(judged.back());
    for (const auto& [name, value] : log.summary.at("psnr").items()) {
      if (name == "worst") continue;
      const std::string as = name == "all" ? "average" : name;
      EXPECT_EQ(words[as], printed(value, "{:.6f}")) << judged.back();
    }
  }

  // ffmpeg adds up floats: its last digit may differ.
  static void expect_ssim(const Log& log, const std::vector<std::string>& judged) {
    ASSERT_EQ(judged.size(), log.frames.size() + 1);
    const auto expect = [](const json& ours, const std::string& line) {
      auto words = words_of(line);
      for (const auto& [name, value] : ours.items()) {
        if (name == "worst") continue;
        const std::string as =
            name == "all" ? "All" : std::string(1, static_cast<char>(name[0] - 'a' + 'A'));
        EXPECT_NEAR(value.get<double>(), std::stod("0" + words[as]), 1.01e-6) << name << line;
      }
    };
    for (std::size_t i = 0; i < log.frames.size(); ++i) expect(log.frames[i].at("ssim"), judged[i]);
    expect(log.summary.at("ssim"), judged.back());
  }

  void expect_judged(const Arguments& what, const Arguments& how, std::size_t frames) const {
    SCOPED_TRACE(fmt::format("{} {}", what[0], how.size() > 1 ? how[1] : ""));
    Arguments filtered = what;
    filtered.insert(filtered.end(),
                    {"--kernel", "gaussian:sigma=1", "--device", "cpu", "-y", "-q"});
    Arguments copy = filtered;
    copy.insert(copy.end(), {"-o", path("copy.mkv"), "--codec", "ffv1"});
    Arguments measured = filtered;
    measured.insert(measured.end(), {"-o", path("out.mkv"), "--measure", "psnr,ssim",
                                     "--measure-log", path("log.jsonl")});
    measured.insert(measured.end(), how.begin(), how.end());
    ASSERT_TRUE(succeeded(run_vidconv(copy)));
    ASSERT_TRUE(succeeded(run_vidconv(measured)));
    const Log log = this->log();
    ASSERT_EQ(log.frames.size(), frames);
    const bool grey = what[0].find(":gray") != std::string::npos;
    const std::string plane = grey ? "extractplanes=y," : "";
    expect_psnr(log, judge("psnr", plane));
    expect_ssim(log, judge("ssim", plane));
  }
};

TEST_F(Measured, EqualsTheJudgeInEveryFormat) {
  const Arguments x264 = {"--codec", "libx264", "--crf", "30", "--encoder-opt", "bf=3"};
  expect_judged({"pattern:96x64:yuv420p#12"}, x264, 12);
  expect_judged({"pattern:98x66:yuv420p10le#6"}, x264, 6);
  expect_judged({"pattern:97x65:yuv444p#6"}, x264, 6);
  expect_judged({"pattern:96x64:gray#6"}, {"--codec", "libx264", "--pix-fmt", "gray"}, 6);
  expect_judged({"pattern:97x63:gbrp#6"}, {"--codec", "libx264rgb", "--crf", "30"}, 6);
  expect_judged({"pattern:97x63:yuv420p#4"}, {"--codec", "mpeg4", "--crf", "6"}, 4);
  expect_judged({"pattern:96x64:yuv422p12le#4"}, {"--codec", "libx265", "--crf", "34"}, 4);
}

TEST_F(Measured, EqualsTheJudgeWhateverIsDoneToTheFrames) {
  const std::string vfr =
      make_clip("vfr.mkv", "-vf select='not(mod(n\\,3))+not(mod(n\\,5))' -fps_mode vfr");
  expect_judged({vfr}, {"--codec", "libx264", "--crf", "32"}, 9);
  expect_judged({clip(), "--compare", "split"}, {"--codec", "libx264", "--crf", "32"}, 20);
  expect_judged({clip(), "--start", "0.2", "--frames", "7"}, {"--codec", "mpeg2video"}, 7);
  expect_judged({clip()}, {"--codec", "libx264", "--crf", "32", "--shards", "3", "--jobs", "3"},
                20);
}

// With FFmpeg 6 or later, x264's reconstructed pictures are used, and only a few packets are
// decoded; an option turns that off, so that all are decoded.
TEST_F(Measured, EncodersPicturesAreWhatIsDecoded) {
  const auto measured = [&](const std::string& what, const std::string& how,
                            const std::string& encoder_options) {
    return shell(
        fmt::format("{} {} {} --encoder-opt bf=3 {} -o {} -y --kernel gaussian:sigma=1 "
                    "--device cpu --measure psnr,ssim --measure-log {}",
                    vidconv(), what, how, encoder_options, path("out.mkv"), path("log.jsonl")));
  };
  const std::string decode = "--encoder-opt flags=-recon_frame";
  if (measured("pattern:96x64#1", "--codec libx264", decode).exit_code != 0)
    GTEST_SKIP() << "this FFmpeg's encoders do not hand out pictures";
  const auto expect_equal = [&](const std::string& what, const std::string& how) {
    SCOPED_TRACE(what + " " + how);
    std::array<std::string, 2> logs;
    for (const bool decoded : {false, true}) {
      const Result result = measured(what, how, decoded ? decode : "");
      EXPECT_TRUE(succeeded(result));
      EXPECT_EQ(result.err.find("decodes every packet"), std::string::npos) << result.err;
      logs.at(decoded) = read_file(path("log.jsonl"));
    }
    EXPECT_EQ(logs[0], logs[1]);
    EXPECT_EQ(log().summary.at("frames"), log().frames.size());
  };
  const std::string many = "pattern:96x64#560", x264 = "--codec libx264 --crf 28";
  const std::string params = x264 + " --encoder-opt x264-params=";
  expect_equal(many, x264);
  expect_equal(many, params + "keyint=30:open-gop=1:b-pyramid=normal --threads 3");
  expect_equal(many, params + "keyint=60:intra-refresh=1:ref=3");
  expect_equal(many, params + "keyint=50:slices=3:interlaced=1");
  expect_equal(many, x264 + " --encoder-opt tune=zerolatency --threads 4");
  expect_equal(many, x264 + " --shards 2 --jobs 2");
  for (const char* format :
       {"yuv444p", "yuv422p", "gray", "yuv420p10le", "yuv444p10le", "gray10le"})
    expect_equal(fmt::format("pattern:98x66:{}#40", format),
                 fmt::format("{} --pix-fmt {}", x264, format));
  expect_equal("pattern:97x63:yuv444p#40", "--codec libx264 --encoder-opt qp=0");
  expect_equal("pattern:97x63:gbrp#40", "--codec libx264rgb --crf 30");
  expect_equal("pattern:96x64#40", "--codec libx264 --pix-fmt nv12");
}

TEST_F(Measured, EqualPicturesAreInfiniteAndOne) {
  const Result result =
      run_vidconv({"pattern:64x48#5", "-o", path("out.mkv"), "--kernel", "box", "--codec", "ffv1",
                   "--measure", "ssim,psnr", "--stats", path("stats.json"), "--device", "cpu"});
  ASSERT_TRUE(succeeded(result));
  EXPECT_TRUE(
      has_line_with(result.err, {"measured against the filtered frames in yuv420p", "psnr infinite",
                                 "ssim 1.000000", "at 0.000 s (frame 0)"}));
  EXPECT_TRUE(has_line_with(result.err, {"5 frames in", "psnr infinite, ssim 1.000000 -> "}));
  const json measured = json::parse(read_file(path("stats.json"))).at("measured");
  EXPECT_EQ(measured.at("frames"), 5);
  EXPECT_TRUE(measured.at("psnr").at("all").is_null());
  EXPECT_EQ(measured.at("ssim").at("worst").at("value"), 1);
}

TEST_F(Measured, SaysWhatWasConverted) {
  const Result result =
      run_vidconv({"pattern:64x48:yuv444p#3", "-o", path("out.mkv"), "--kernel", "box", "--codec",
                   "libx264", "--pix-fmt", "yuv420p", "--measure", "psnr", "--device", "cpu"});
  ASSERT_TRUE(succeeded(result));
  EXPECT_TRUE(
      has_line_with(result.err, {"in yuv420p, to which yuv444p was converted for the encoder"}));
}

TEST_F(Measured, TellsTheWorstFrame) {
  ASSERT_TRUE(
      succeeded(run_vidconv({"pattern:96x64#30", "-o", path("out.mkv"), "--kernel", "box",
                             "--codec", "libx264", "--crf", "35", "--measure", "psnr,ssim",
                             "--measure-log", path("log.jsonl"), "--device", "cpu", "-q"})));
  const Log log = this->log();
  for (const char* measure : {"psnr", "ssim"}) {
    const json worst = log.summary.at(measure).at("worst");
    for (const json& frame : log.frames)
      EXPECT_GE(frame.at(measure).at("all").get<double>(), worst.at("value").get<double>());
    const json& frame = log.frames.at(worst.at("frame").get<std::size_t>());
    EXPECT_EQ(frame.at(measure).at("all"), worst.at("value"));
    EXPECT_EQ(frame.at("time"), worst.at("time"));
  }
}

TEST_F(Measured, OutputIsTheSameWithoutIt) {
  for (const bool measured : {false, true}) {
    Arguments arguments = {"pattern:96x64#30", "-o",       path(measured ? "a.mp4" : "b.mp4"),
                           "--kernel",         "box",      "--codec",
                           "libx264",          "--device", "cpu"};
    if (measured) arguments.insert(arguments.end(), {"--measure", "psnr"});
    ASSERT_TRUE(succeeded(run_vidconv(arguments)));
  }
  EXPECT_EQ(read_file(path("a.mp4")), read_file(path("b.mp4")));
}

// Returns each frame's mean difference of luma, as ffmpeg decodes both files.
std::vector<double> luma_differences(const std::string& a, const std::string& b,
                                     std::size_t samples) {
  const auto luma = [](const std::string& file) {
    return output_of("ffmpeg -v error -i " + file + " -vf extractplanes=y -f rawvideo -");
  };
  const std::string one = luma(a), other = luma(b);
  std::vector<double> means(one.size() / samples);
  for (std::size_t i = 0; i < means.size() * samples; ++i)
    means[i / samples] +=
        std::abs(static_cast<unsigned char>(one[i]) - static_cast<unsigned char>(other.at(i))) /
        static_cast<double>(samples);
  return means;
}

// A double stands for libvmaf; its score is 100 minus that mean.
TEST_F(Measured, VmafIsWhatItsLibrarySays) {
  const std::string program = "LD_LIBRARY_PATH=" VIDCONV_VMAF_DOUBLE " " + vidconv() +
                              " pattern:97x65#12 --kernel box --device cpu -q ";
  output_of(program + "-o " + path("copy.mkv") + " --codec ffv1");
  output_of(program + "-o " + path("out.mkv") + " --codec mpeg4 --crf 8 --encoder-opt bf=2" +
            " --measure vmaf --measure-log " + path("log.jsonl"));
  const Log log = this->log();
  const auto means = luma_differences(path("out.mkv"), path("copy.mkv"), 97 * 65);
  ASSERT_EQ(log.frames.size(), 12U);
  ASSERT_EQ(means.size(), 12U);
  double sum = 0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    EXPECT_NEAR(log.frames[i].at("vmaf").at("all").get<double>(), 100 - means[i], 1e-9);
    EXPECT_FALSE(log.frames[i].contains("psnr"));
    sum += 100 - means[i];
  }
  EXPECT_NEAR(log.summary.at("vmaf").at("all").get<double>(), sum / 12, 1e-9);
  output_of(program + "-y -o " + path("out.mkv") + " --codec mpeg4 --crf 8 --encoder-opt bf=2" +
            " --measure psnr,vmaf:model=vmaf_v0.6.1neg --measure-log " + path("log.jsonl"));
  EXPECT_NEAR(this->log().summary.at("vmaf").at("all").get<double>(), sum / 12 - 1, 1e-9);
  EXPECT_TRUE(this->log().summary.contains("psnr"));
  EXPECT_TRUE(refused(shell(program + "-y -o " + path("out.mkv") + " --measure vmaf:model=no"),
                      exit_output, {"no model no", "vmaf_4k_v0.6.1"}));
  const Result target = shell(program + "-y -o " + path("out.mkv") +
                              " --codec mpeg4 --target vmaf=96 --stats " + path("stats.json"));
  EXPECT_TRUE(succeeded(target));
  const json stats = json::parse(read_file(path("stats.json")));
  EXPECT_GE(stats.at("measured").at("vmaf").at("all").get<double>(), 96);
  const Result rgb =
      shell(program + "-y -o " + path("out.mkv") + " --codec libx264rgb --measure vmaf");
  EXPECT_TRUE(refused(rgb, exit_output, {"there is no vmaf", "not of", "--pix-fmt"}));
}

TEST_F(Measured, VmafNeedsItsLibrary) {
  if (shell("ldconfig -p | grep -q libvmaf").exit_code == 0) GTEST_SKIP() << "libvmaf is there";
  EXPECT_TRUE(refused(run_vidconv({"pattern:64x48#3", "-o", path("out.mkv"), "--kernel", "box",
                                   "--measure", "vmaf", "--device", "cpu"}),
                      exit_output, {"libvmaf is not installed", "or measure psnr,ssim"}));
  EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
}

// Returns the number behind the last `word`; NaN if there is none.
double number_behind(const std::string& text, const std::string& word) {
  const std::size_t at = text.rfind(word);
  return at == text.npos ? std::nan("") : std::stod(text.substr(at + word.size()));
}

// The filter's first input is the reference.
TEST_F(Measured, XpsnrIsWhatItsFilterSays) {
  const Arguments filtered{"pattern:128x64#12", "--kernel", "box", "--device", "cpu", "-q", "-y"};
  const auto make = [&](Arguments more) {
    more.insert(more.begin(), filtered.begin(), filtered.end());
    return run_vidconv(more);
  };
  const Arguments measured{"--measure",       "psnr,xpsnr", "--measure-log",
                           path("log.jsonl"), "-o",         path("out.mkv")};
  const bool is_there =
      shell("ffmpeg -v error -h filter=xpsnr").out.find("Filter xpsnr") != std::string::npos;
  if (!is_there) {
    EXPECT_TRUE(refused(make(measured), exit_output, {"there is no xpsnr", "measure psnr,ssim"}));
    EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
    return;
  }
  // Beyond 8 bits the filter miscounts rows with padding: these have none.
  for (const char* format : {"yuv420p", "yuv422p10le", "gray"}) {
    SCOPED_TRACE(format);
    Arguments lossy = measured;
    lossy.insert(lossy.end(), {"--codec", "libx264", "--crf", "30", "--encoder-opt", "bf=2",
                               "--pix-fmt", format});
    EXPECT_TRUE(succeeded(make(lossy)));
    EXPECT_TRUE(succeeded(make({"-o", path("copy.mkv"), "--codec", "ffv1", "--pix-fmt", format})));
    // H.264 without chroma is decoded as 4:2:0, and FFmpeg 9 stretches its range for `format=gray`.
    const bool grey = format == std::string_view("gray");
    const std::string taken = grey ? "extractplanes=y" : fmt::format("format={}", format);
    const Result judge =
        shell(fmt::format("ffmpeg -v info -nostdin -i {} -i {} -lavfi "
                          "'[0:v]{}[a];[1:v]{}[b];[a][b]xpsnr=stats_file={}' "
                          "-f null -",
                          path("copy.mkv"), path("out.mkv"), taken, taken, path("xpsnr")));
    EXPECT_TRUE(succeeded(judge));
    const Log log = this->log();
    const auto lines = split_lines(read_file(path("xpsnr")));
    ASSERT_EQ(log.frames.size(), 12U);
    ASSERT_GE(lines.size(), 12U);
    for (std::size_t i = 0; i < log.frames.size(); ++i) {
      const json& own = log.frames[i].at("xpsnr");
      double lowest = 1000;
      for (const auto& [name, value] : own.items()) {
        if (name == "all") continue;
        EXPECT_NEAR(value.get<double>(), number_behind(lines[i], "XPSNR " + name + ": "), 1e-4);
        lowest = std::min(lowest, value.get<double>());
      }
      EXPECT_EQ(own.at("all").get<double>(), lowest);
    }
    const json& all = log.summary.at("xpsnr");
    for (const auto& [name, value] : all.items())
      if (name != "worst") {
        // FFmpeg 9 says no minimum of one plane.
        const std::string word = name != "all" ? " " + name + ": " : grey ? " y: " : "minimum: ";
        EXPECT_NEAR(value.get<double>(), number_behind(judge.err, word), 1e-4);
      }
  }
  // The filter would miscount rows of this width.
  EXPECT_TRUE(
      succeeded(run_vidconv({"pattern:98x66#4", "--kernel", "box", "--device", "cpu", "-o",
                             path("odd.mkv"), "--codec", "libx264", "--crf", "10", "--pix-fmt",
                             "yuv422p10le", "--measure", "xpsnr", "--stats", path("stats.json")})));
  EXPECT_GT(
      json::parse(read_file(path("stats.json"))).at("measured").at("xpsnr").at("all").get<double>(),
      25);
  EXPECT_TRUE(succeeded(make({"-o", path("same.mkv"), "--codec", "ffv1", "--measure", "xpsnr",
                              "--stats", path("stats.json")})));
  EXPECT_TRUE(
      json::parse(read_file(path("stats.json"))).at("measured").at("xpsnr").at("all").is_null());
  EXPECT_TRUE(succeeded(make({"-o", path("aimed.mkv"), "--codec", "libx264", "--target", "xpsnr=40",
                              "--stats", path("stats.json")})));
  EXPECT_GE(
      json::parse(read_file(path("stats.json"))).at("measured").at("xpsnr").at("all").get<double>(),
      40);
}

TEST_F(Measured, RefusesWhatMakesNoSense) {
  const auto refusal = [&](Arguments arguments, const std::vector<std::string>& parts) {
    arguments.insert(arguments.begin(), "pattern:64x48#3");
    arguments.insert(arguments.end(), {"--kernel", "box", "--device", "cpu"});
    EXPECT_TRUE(refused(run_vidconv(arguments), exit_command_line, parts)) << parts[0];
  };
  const std::string out = path("out.mkv"), log = path("log.jsonl");
  refusal({"-o", out, "--measure", "pnsr"}, {"--measure 'pnsr'", "did you mean 'psnr'"});
  refusal({"-o", out, "--measure", "psnr,psnr"}, {"psnr is there twice", "name it once"});
  refusal({"-o", out, "--measure", "vmaf:model="}, {"there is no measure 'vmaf:model='"});
  refusal({"-o", out, "--measure", "ssim:model=a"}, {"there is no measure 'ssim:model=a'"});
  refusal({"-o", out, "--measure", "psnr,"}, {"there is no measure ''", "psnr,ssim"});
  refusal({"-o", out, "--measure-log", log}, {"nothing is measured", "add --measure"});
  refusal({"-o", out, "--measure", "psnr", "--measure-log", "-"}, {"--measure-log '-'", "a file"});
  refusal({"-o", "null:", "--measure", "psnr"}, {"the output is null, not a video file"});
  refusal({"-o", path("out.y4m"), "--measure", "psnr"}, {"the output is y4m", "out.mkv"});
  refusal({"-o", path("p%d.png"), "--measure", "psnr"}, {"the output is images"});
  refusal({"-o", path("out.gif"), "--measure", "ssim"}, {"gif makes pictures of another kind"});
  refusal({"--benchmark", "--measure", "psnr"}, {"--benchmark encodes nothing"});
  refusal({"-o", path("{stem}.mkv"), "--measure", "psnr", "--measure-log", log},
          {"there are several inputs", "--stats has a summary"});
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_FALSE(std::filesystem::exists(log));
}

TEST_F(Measured, IsExplained) {
  const Result result = run_vidconv({"pattern:64x48#3", "-o", path("out.mkv"), "--kernel", "box",
                                     "--measure", "ssim,psnr", "--explain", "--device", "cpu"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.out, {"measure psnr, ssim of what is decoded again"}));
}

TEST_F(Measured, LooksAtOneVideo) {
  ffmpeg(
      "-f lavfi -i testsrc=s=64x48:d=0.2 -f lavfi -i testsrc=s=64x48:d=0.2 -map 0 -map 1 -c:v "
      "ffv1 " +
      path("two.mkv"));
  EXPECT_TRUE(refused(run_vidconv({path("two.mkv"), "-o", path("out.mkv"), "--kernel", "box",
                                   "--video", "all", "--measure", "psnr", "--device", "cpu"}),
                      exit_command_line, {"it looks at one video", "choose one with --video N"}));
}

}  // namespace
}  // namespace vidconv::test
