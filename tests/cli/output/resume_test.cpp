// --resume: whatever ends a run, the same command goes on, and the bytes are those of a run that
// nothing has ended.
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;

class Resume : public CliTest {
 protected:
  const std::string input_ = clip();

  // The run has 20 frames with sound, in five shards.
  Arguments arguments(const Arguments& more = {}, const std::string& jobs = "2") const {
    Arguments all{input_,  "-o",       path("out.mkv"), "--kernel", "box",      "--shards",
                  "0.16s", "--resume", "--jobs",        jobs,       "--preset", "veryfast"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string folder() const { return path(".out.mkv.vidconv"); }

  static Result with_faults(const Arguments& arguments, const std::string& faults) {
    std::string line = "export ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 " + faults +
                       "; LD_PRELOAD=" VIDCONV_FAULTS " " + vidconv();
    for (const std::string& word : arguments) line += " '" + word + "'";
    return shell(line);
  }
  // Killed when a file of it gets its name for the `call`th time, counted from 0. The first is
  // run.json; then a shard and its ledger each.
  static void kill_at(int call, const Arguments& arguments) {
    const Result result =
        with_faults(arguments, "VIDCONV_REFUSED=linkat@" + std::to_string(call) + "=killed");
    EXPECT_EQ(result.exit_code, 128 + SIGKILL) << result.err;
  }
  // The bytes of the same run without --resume.
  std::string uninterrupted(Arguments arguments) const {
    std::erase(arguments, "--resume");
    *(std::ranges::find(arguments, "-o") + 1) = path("whole.mkv");
    arguments.emplace_back("-y");
    EXPECT_TRUE(succeeded(run_vidconv(arguments)));
    return read_file(path("whole.mkv"));
  }
  std::size_t kept() const {
    std::size_t ledgers = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder()))
      ledgers += entry.path().extension() == ".json" && entry.path().filename() != "run.json";
    return ledgers;
  }
  std::filesystem::path file_of(const std::string& shard, const std::string& ending) const {
    for (const auto& entry : std::filesystem::directory_iterator(folder()))
      if (entry.path().filename().string().starts_with(shard + "-") &&
          entry.path().extension() == ending)
        return entry.path();
    ADD_FAILURE() << "nothing is kept of shard " << shard;
    return {};
  }
  void expect_done(const Result& result, const std::string& whole) const {
    EXPECT_TRUE(succeeded(result));
    EXPECT_TRUE(read_file(path("out.mkv")) == whole);
    EXPECT_FALSE(std::filesystem::exists(folder()));
  }
};

TEST_F(Resume, GoesOnAfterAKill) {
  const std::string whole = uninterrupted(arguments());
  for (const std::string jobs : {"1", "2", "5"})
    for (const int call : {1, 2, 3, 6, 9}) {
      SCOPED_TRACE(jobs + " jobs, call " + std::to_string(call));
      const Arguments run = arguments({"--stats", path("stats")}, jobs);
      kill_at(call, run);
      EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
      const std::size_t there = kept();
      EXPECT_LE(there, static_cast<std::size_t>(call / 2));
      const Result result = run_vidconv(run);
      expect_done(result, whole);
      EXPECT_EQ(result.err.find("[resumed]") != std::string::npos, there > 0) << result.err;
      const json frames = json::parse(read_file(path("stats"))).at("frames");
      EXPECT_EQ(frames.at("brought"), 4 * there);
      EXPECT_EQ(frames.at("encoded"), 20 - 4 * there);
      EXPECT_EQ(frames.at("written"), 20);
      std::filesystem::remove(path("out.mkv"));
    }
}

TEST_F(Resume, IsOneOfShardsWhereNoneAreAskedFor) {
  const Arguments run{"pattern:64x48@25#600",
                      "-o",
                      path("out.mkv"),
                      "--kernel",
                      "box",
                      "--resume",
                      "--preset",
                      "ultrafast"};
  kill_at(2, run);
  Arguments automatic = run;
  automatic.insert(automatic.end(), {"--shards", "auto"});
  const std::string whole = uninterrupted(automatic);
  const Result result = run_vidconv(run);
  expect_done(result, whole);
  EXPECT_TRUE(has_line_with(result.err, {"--shards auto: ", "[shards-chosen]"}));
}

// Stretches that no filter changes come from the input, and those between from the run before.
TEST_F(Resume, GoesOnBesideWhatIsUnchanged) {
  struct Kind {
    const char *name, *encoding;
    Arguments more;
  };
  const std::string clip =
      "-f lavfi -i testsrc2=size=128x72:rate=25:duration=4 -f lavfi -i "
      "sine=duration=4 -shortest -pix_fmt yuv420p -g 25 ";
  write_file(path("boxes.jsonl"),
             "{\"frame\":30,\"id\":1,\"box\":[10,10,40,40]}\n"
             "{\"frame\":60,\"id\":1,\"box\":[30,20,40,40]}\n");
  const Arguments boxes{"--regions", path("boxes.jsonl"), "--audit", path("audit")};
  for (const Kind& kind :
       std::vector<Kind>{{"a.mp4", "-c:v libx264", {"--preset", "veryfast"}},
                         {"b.mkv",
                          "-c:v libx265 -x265-params no-open-gop=1:log-level=error",
                          {"--encoder-opt", "x265-params=log-level=error"}},
                         {"c.mkv", "-c:v mpeg2video -q:v 3 -bf 2 -sc_threshold 1000000000", {}},
                         {"d.mkv", "-c:v ffv1", {}},
                         {"e.mp4", "-c:v libx264", boxes}}) {
    SCOPED_TRACE(kind.name);
    ffmpeg(clip + kind.encoding + " " + path(kind.name));
    Arguments run{path(kind.name), "-o",       path("out.mkv"), "--keep-unchanged", "--shards",
                  "0.4s",          "--resume", "--stats",       path("stats"),      "--kernel"};
    run.emplace_back(kind.more == boxes ? "fill:black" : "box:size=5:between=1.2s-2.6s");
    run.insert(run.end(), kind.more.begin(), kind.more.end());
    const std::string whole = uninterrupted(run);
    const std::string audit = kind.more == boxes ? read_file(path("audit")) : "";
    for (const int call : {2, 4, 6}) {
      std::filesystem::remove(path("audit"));
      kill_at(call, run);
      EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
      const std::size_t there = kept();
      const Result result = run_vidconv(run);
      expect_done(result, whole);
      EXPECT_TRUE(has_line_with(result.err, {"frames are copied", "[kept]"})) << result.err;
      EXPECT_EQ(result.err.find("[resumed]") != std::string::npos, there > 0) << result.err;
      const json frames = json::parse(read_file(path("stats"))).at("frames");
      EXPECT_EQ(frames.at("written"), 100);
      EXPECT_TRUE(has_line_with(result.err, {"50 copied as they are coded"})) << result.err;
      // Frames that somebody looks at are filtered once more, and their packets kept all the same.
      if (audit.empty() && there > 0) {
        EXPECT_TRUE(has_line_with(result.err, {std::to_string(10 * there) + " kept from before"}));
      }
      if (audit.empty())
        EXPECT_EQ(frames.at("encoded"), 50 - 10 * there);
      else
        EXPECT_EQ(read_file(path("audit")), audit);
      std::filesystem::remove(path("out.mkv"));
    }
  }
}

// A run over a damaged input that begins anew in order copies nothing, and neither does the next.
TEST_F(Resume, CopiesNothingOfADamagedInput) {
  ffmpeg(
      "-f lavfi -i testsrc2=size=128x72:rate=25:duration=4 -pix_fmt yuv420p -g 25 -c:v libx264 " +
      path("in.mkv"));
  std::string bytes = read_file(path("in.mkv"));
  const std::string place =
      output_of("ffprobe -v error -select_streams v:0 -show_entries packet=pos -of csv=p=0 " +
                path("in.mkv") + " | sed -n 36p");
  for (std::size_t i = 0; i < 60; ++i) bytes[std::stoul(place) + 60 + i] ^= 0x5a;
  write_file(path("in.mkv"), bytes);
  const Arguments run{path("in.mkv"),     "-o",       path("out.mkv"),
                      "--keep-unchanged", "--shards", "0.4s",
                      "--resume",         "--kernel", "box:size=5:between=1.2s-2.6s"};
  const Result whole = run_vidconv(run);
  EXPECT_EQ(whole.exit_code, exit_damaged);
  const std::string expected = read_file(path("out.mkv"));
  std::filesystem::remove(path("out.mkv"));
  kill_at(6, run);
  const Result result = run_vidconv(run);
  EXPECT_EQ(result.exit_code, exit_damaged);
  EXPECT_TRUE(has_line_with(result.err, {"all is encoded: the input is damaged"}));
  EXPECT_TRUE(read_file(path("out.mkv")) == expected);
  EXPECT_FALSE(std::filesystem::exists(folder()));
}

// Frames that come in order of time: those of shards that are there are decoded and no more.
TEST_F(Resume, GoesOnWhereFramesComeInOrder) {
  for (const Arguments& more : std::vector<Arguments>{
           {"--frames", "18"}, {"--audit", path("audit")}, {"--start", "0.2", "--frames", "10"}}) {
    SCOPED_TRACE(more[0]);
    const Arguments run = arguments(more);
    const std::string whole = uninterrupted(run);
    std::filesystem::remove(path("audit"));
    kill_at(4, run);
    expect_done(run_vidconv(run), whole);
    std::filesystem::remove(path("out.mkv"));
    std::filesystem::remove(path("audit"));
  }
}

TEST_F(Resume, GoesOnWithAnyContainerAndSource) {
  ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.8 -pix_fmt yuv420p " + path("a.y4m"));
  const std::string irregular =
      make_clip("vfr.mkv", "-bf 2 -vf select='not(mod(n\\,3))+not(mod(n\\,4))' -fps_mode vfr");
  for (const std::string& input :
       {input_, path("a.y4m"), std::string("pattern:64x48@25#20"), irregular})
    for (const std::string output : {"out.mkv", "out.mp4", "out.ts"}) {
      SCOPED_TRACE(input + " " + output);
      const Arguments run{input, "-o",       path(output), "--kernel",
                          "box", "--resume", "--shards",   "0.16s"};
      kill_at(4, run);
      Arguments plain = run;
      std::erase(plain, "--resume");
      plain[2] = path("whole" + output.substr(3));
      plain.emplace_back("-y");
      EXPECT_TRUE(succeeded(run_vidconv(plain)));
      EXPECT_TRUE(succeeded(run_vidconv(run)));
      EXPECT_TRUE(read_file(path(output)) == read_file(plain[2]));
      std::filesystem::remove(path(output));
    }
}

TEST_F(Resume, BeginsWhereItWas) {
  kill_at(8, arguments());
  const std::size_t there = kept();
  ASSERT_GT(there, 0U);
  const Result result = run_vidconv(arguments({"--progress", "json"}));
  EXPECT_TRUE(succeeded(result));
  for (const std::string& line : split_lines(result.err))
    if (line.starts_with("{")) {
      EXPECT_GE(json::parse(line).at("frame"), 4 * there);
      EXPECT_LE(json::parse(line).at("frame"), 20);
    }
}

TEST_F(Resume, EncodesACorruptShardAgain) {
  const std::string whole = uninterrupted(arguments());
  for (const std::string ending : {".nut", ".json"}) {
    kill_at(5, arguments({}, "1"));
    const auto file = file_of("0", ending);
    std::string bytes = read_file(file);
    bytes[bytes.size() / 2] ^= 1;
    write_file(file, bytes);
    const Result result = run_vidconv(arguments());
    expect_done(result, whole);
    EXPECT_TRUE(has_line_with(result.err, {"shard 0 is encoded again", "[resumed]"}));
    std::filesystem::remove(path("out.mkv"));
  }
}

TEST_F(Resume, RefusesWhatIsOfAnotherRun) {
  kill_at(5, arguments({"--crf", "20"}));
  const std::size_t there = kept();
  EXPECT_TRUE(refused(run_vidconv(arguments({"--crf", "30"})), exit_output,
                      {folder(), "--crf 20", "--crf 30", "-y", "[resume]"}));
  EXPECT_TRUE(refused(run_vidconv(arguments({"--crf", "20", "--kernel", "sobel"})), exit_output,
                      {"--kernel sobel", "[resume]"}));
  // A file that is written anew is another input.
  std::filesystem::last_write_time(
      input_, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  const Result other =
      run_vidconv({path("clip.mp4"), "-o", path("out.mkv"), "--kernel", "box", "--shards", "0.16s",
                   "--resume", "--crf", "20", "--preset", "veryfast"});
  EXPECT_TRUE(refused(other, exit_output, {"another input", "clip.mp4", "[resume]"}));
  EXPECT_EQ(kept(), there);
  // Another version.
  json run = json::parse(read_file(folder() + "/run.json"));
  run["version"] = "0.0.9";
  run["key"] = "0";
  write_file(folder() + "/run.json", run.dump());
  const Arguments anew{path("clip.mp4"), "-o",    path("out.mkv"), "--kernel", "box",
                       "--shards",       "0.16s", "--resume"};
  EXPECT_TRUE(refused(run_vidconv(anew), exit_output, {"vidconv 0.0.9", "[resume]"}));
  write_file(folder() + "/run.json", "{");
  EXPECT_TRUE(refused(run_vidconv(anew), exit_output, {"run.json", "makes no sense", "-y"}));
  const std::string whole = uninterrupted(anew);
  Arguments overwriting = anew;
  overwriting.emplace_back("-y");
  const Result result = run_vidconv(overwriting);
  expect_done(result, whole);
  EXPECT_TRUE(has_line_with(result.err, {"is dropped", "[resumed]"}));
}

TEST_F(Resume, TheSecondOfTwoStartsIsRefused) {
  const Arguments run{"pattern:128x72@25#1000000",
                      "-o",
                      path("out.mkv"),
                      "--kernel",
                      "box",
                      "--shards",
                      "0.4s",
                      "--resume",
                      "--jobs",
                      "2",
                      "--progress",
                      "plain"};
  Process first(command(run));
  ASSERT_TRUE(first.wait_for_stderr("parts", std::chrono::seconds(60)));
  const Result second = run_vidconv(run);
  EXPECT_TRUE(refused(second, exit_output, {"another run is at work", "process", "[resume]"}));
  EXPECT_TRUE(has_line_with(run_vidconv({"--list-resumable", path("")}).out, {"at work"}));
  // A signal leaves no output, and shards to go on with.
  first.signal(SIGINT);
  const Result end = first.wait();
  EXPECT_EQ(end.exit_code, exit_interrupted);
  EXPECT_TRUE(has_line_with(end.err, {"kept in", folder(), "[resumed]"}));
  EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
  EXPECT_GT(kept(), 0U);
  const std::string list = run_vidconv({"--list-resumable", path("")}).out;
  EXPECT_TRUE(has_line_with(list, {folder(), "shards", path("out.mkv"), "goes on with",
                                   "pattern:128x72@25#1000000", "--resume"}));
}

TEST_F(Resume, FullDisksKeepWhatIsThere) {
  const std::string whole = uninterrupted(arguments({"--crf", "1"}));
  for (const std::size_t percent : {0, 1, 10, 30, 60}) {  // share of the output alone
    const std::size_t bytes = whole.size() * percent / 100;
    SCOPED_TRACE(bytes);
    const Result full =
        with_faults(arguments({"--crf", "1"}),
                    "VIDCONV_DISK_ERROR=28 VIDCONV_DISK_BYTES=" + std::to_string(bytes));
    EXPECT_TRUE(refused(full, exit_output, {"No space left on device"}));
    EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
  }
  expect_done(run_vidconv(arguments({"--crf", "1"})), whole);
}

// Shards that were made of a damaged input in turns do not count: it is read again, in order.
TEST_F(Resume, DamageIsNotForgotten) {
  ffmpeg("-f lavfi -i testsrc2=size=128x72:rate=25:duration=4 -c:v libx264 -g 10 " +
         path("whole.ts"));
  std::string bytes = read_file(path("whole.ts"));
  for (std::size_t at = bytes.size() * 3 / 4; at < bytes.size() * 3 / 4 + 3000; ++at)
    bytes[at] = static_cast<char>(at * 7);
  write_file(path("damaged.ts"), bytes);
  const Arguments plain{
      path("damaged.ts"), "-o", path("plain.mkv"), "--kernel", "box", "--shards", "5",
      "--jobs",           "2",  "--threads",       "1"};
  EXPECT_EQ(run_vidconv(plain).exit_code, exit_damaged);
  Arguments run = plain;
  run[2] = path("out.mkv");
  run.emplace_back("--resume");
  for (const int call : {3, 6, 9}) {
    SCOPED_TRACE(call);
    with_faults(run, "VIDCONV_REFUSED=linkat@" + std::to_string(call) + "=killed");
    EXPECT_EQ(run_vidconv(run).exit_code, exit_damaged);
    EXPECT_TRUE(read_file(path("out.mkv")) == read_file(path("plain.mkv")));
    EXPECT_FALSE(std::filesystem::exists(folder()));
    std::filesystem::remove(path("out.mkv"));
  }
}

// Killed between the output's name and the end of the folder, which is the last of all.
TEST_F(Resume, KnowsTheOutputOfARunThatWasKilledThere) {
  const Arguments run = arguments({"--no-sandbox"});
  with_faults(run, "VIDCONV_CALLS=" + path("calls"));
  const std::vector<std::string> calls = split_lines(read_file(path("calls")));
  const auto count = std::ranges::count(calls, "fsync folder");
  ASSERT_GT(count, 0);
  const std::string whole = read_file(path("out.mkv"));
  const auto kill_at_the_end = [&](const Arguments& arguments) {
    const Result result = with_faults(
        arguments, "VIDCONV_REFUSED='fsync folder@" + std::to_string(count - 1) + "=killed'");
    EXPECT_EQ(result.exit_code, 128 + SIGKILL) << result.err;
    EXPECT_TRUE(std::filesystem::exists(folder()));
    EXPECT_TRUE(read_file(path("out.mkv")) == whole);
  };
  for (const Arguments& more : {Arguments{}, {"-y"}}) {
    std::filesystem::remove(path("out.mkv"));
    kill_at_the_end(run);
    Arguments again = arguments(more);
    again.insert(again.end(), {"--stats", path("stats.json")});
    const Result result = run_vidconv(again);
    EXPECT_TRUE(succeeded(result));
    EXPECT_TRUE(has_line_with(result.err, {"done before -> ", "out.mkv"}));
    EXPECT_EQ(json::parse(read_file(path("stats.json")))["outcome"], "skipped");
    EXPECT_FALSE(std::filesystem::exists(folder()));
    EXPECT_TRUE(read_file(path("out.mkv")) == whole);
  }
  // Another file of that name is not the run's.
  std::filesystem::remove(path("out.mkv"));
  kill_at_the_end(run);
  std::filesystem::rename(path("out.mkv"), path("kept.mkv"));
  write_file(path("out.mkv"), "precious");
  EXPECT_TRUE(refused(run_vidconv(run), exit_output, {"out.mkv", "it exists already"}));
  EXPECT_EQ(read_file(path("out.mkv")), "precious");
  std::filesystem::remove(path("out.mkv"));
  EXPECT_TRUE(succeeded(run_vidconv(run)));
  EXPECT_TRUE(read_file(path("out.mkv")) == whole);
}

TEST_F(Resume, KnowsSuchAnOutputOfSeveralInputs) {
  std::filesystem::create_directory(path("in"));
  std::filesystem::copy_file(input_, path("in/a.mp4"));
  Arguments run{"--recursive", path("in"), "-o",       path("out/{stem}.mkv"), "--kernel", "box",
                "--shards",    "0.16s",    "--resume", "--no-sandbox"};
  for (const bool skip : {false, true}) {
    std::filesystem::remove_all(path("out"));
    std::filesystem::remove(path("calls"));
    if (skip) run.emplace_back("--skip-done");
    with_faults(run, "VIDCONV_CALLS=" + path("calls"));
    const std::vector<std::string> calls = split_lines(read_file(path("calls")));
    const auto count = std::ranges::count(calls, "fsync folder");
    std::filesystem::remove(path("out/a.mkv"));
    with_faults(run, "VIDCONV_REFUSED='fsync folder@" + std::to_string(count - 1) + "=killed'");
    EXPECT_TRUE(std::filesystem::exists(path("out/.a.mkv.vidconv")));
    EXPECT_TRUE(std::filesystem::exists(path("out/a.mkv")));
    const Result result = run_vidconv(run);
    EXPECT_TRUE(succeeded(result));
    EXPECT_TRUE(has_line_with(result.err, {"done before -> ", "a.mkv"}));
    EXPECT_FALSE(std::filesystem::exists(path("out/.a.mkv.vidconv")));
  }
}

TEST_F(Resume, KeepsInAnotherFolder) {
  std::filesystem::create_directory(path("kept"));
  Arguments run = arguments();
  std::ranges::replace(run, std::string("--resume"), "--resume=" + path("kept"));
  kill_at(5, run);
  EXPECT_FALSE(std::filesystem::exists(folder()));
  EXPECT_TRUE(std::filesystem::exists(path("kept/.out.mkv.vidconv/run.json")));
  EXPECT_TRUE(has_line_with(run_vidconv({"--list-resumable", path("kept")}).out, {"out.mkv"}));
  EXPECT_TRUE(succeeded(run_vidconv(run)));
  EXPECT_TRUE(std::filesystem::is_empty(path("kept")));
  EXPECT_EQ(run_vidconv({"--list-resumable", path("kept")}).out, "");
}

TEST_F(Resume, OneOfSeveralInputsGoesOn) {
  std::filesystem::create_directory(path("in"));
  for (const std::string name : {"a", "b", "c"})
    std::filesystem::copy_file(input_, path("in/" + name + ".mp4"));
  const Arguments run{"--recursive", path("in"),   "-o",       path("out/{stem}.mkv"),
                      "--kernel",    "box",        "--shards", "0.16s",
                      "--resume",    "--skip-done"};
  // The first has run.json, five shards with their ledgers, and the output itself.
  with_faults(run, "VIDCONV_REFUSED=linkat@17=killed");
  EXPECT_TRUE(std::filesystem::exists(path("out/a.mkv")));
  EXPECT_TRUE(std::filesystem::exists(path("out/.b.mkv.vidconv")));
  const Result result = run_vidconv(run);
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"b.mp4: ", "going on", "[resumed]"}));
  const std::string whole =
      uninterrupted({input_, "-o", path("x.mkv"), "--kernel", "box", "--shards", "0.16s"});
  for (const std::string name : {"a", "b", "c"}) {
    EXPECT_TRUE(read_file(path("out/" + name + ".mkv")) == whole);
    EXPECT_FALSE(std::filesystem::exists(path("out/." + name + ".mkv.vidconv")));
  }
}

TEST_F(Resume, TheQualityOfATargetIsKept) {
  const Arguments run = arguments({"--target", "psnr=38"});
  kill_at(5, run);
  const Result result = run_vidconv(run);
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"quality", "was found before", "[resumed]"}));
  EXPECT_TRUE(has_line_with(result.err, {"going on", "[resumed]"}));
}

// A folder of that name that is somebody's own is left alone.
TEST_F(Resume, TouchesNothingElse) {
  std::filesystem::create_directory(folder());
  write_file(folder() + "/precious", "precious");
  EXPECT_TRUE(refused(run_vidconv(arguments({"-y"})), exit_output, {"not of a run", "[resume]"}));
  EXPECT_EQ(read_file(folder() + "/precious"), "precious");
  std::filesystem::remove_all(folder());
  std::filesystem::create_symlink(path(""), folder());
  EXPECT_TRUE(refused(run_vidconv(arguments()), exit_output, {"no folder", "[resume]"}));
}

TEST_F(Resume, WrongUsesAreRefused) {
  ffmpeg("-f lavfi -i testsrc2=size=64x48:duration=0.2 -map 0 -map 0 " + path("two.mkv"));
  struct Use {
    Arguments words;
    Exit code;
    std::vector<std::string> says;
  };
  const std::string in = input_, out = path("out.mkv");
  for (const auto& [words, code, says] : std::vector<Use>{
           {{"-", "-o", out}, exit_command_line, {"--resume", "no file"}},
           {{in, "-o", "-"}, exit_command_line, {"--resume", "output"}},
           {{in, "-o", "md5:"}, exit_command_line, {"--resume", "output"}},
           {{in, "-o", path("f%03d.png")}, exit_command_line, {"--resume", "output"}},
           {{in, "-o", path("out.y4m")}, exit_command_line, {"--resume", "y4m"}},
           {{path("f%03d.png"), "-o", out}, exit_command_line, {"--resume", "many files"}},
           {{in, "-o", out, "--bitrate", "1M"},
            exit_command_line,
            {"--resume", "--bitrate", "--crf"}},
           {{in, "-o", out, "--measure", "psnr"}, exit_command_line, {"--resume", "--measure"}},
           {{in, "-o", out, "--latency", "50"}, exit_command_line, {"--resume"}},
           {{path("two.mkv"), "-o", out, "--video", "all"},
            exit_command_line,
            {"--resume", "--video N"}},
           {{in, "-o", out, "--benchmark"}, exit_command_line, {"--resume"}},
           {{in, "-o", path("a.gif")}, exit_command_line, {"--resume"}},
           {{in, "-o", out, "--resume=/nowhere"}, exit_command_line, {"--resume", "/nowhere"}},
           {{path("none.mkv"), "-o", out}, exit_input, {"none.mkv", "[input-missing]"}}}) {
    Arguments run = words;
    run.insert(run.end(), {"--kernel", "box"});
    if (run.back() != "--resume" && std::ranges::none_of(run, [](const std::string& word) {
          return word.starts_with("--resume");
        }))
      run.emplace_back("--resume");
    EXPECT_TRUE(refused(run_vidconv(run), code, says));
    EXPECT_FALSE(std::filesystem::exists(folder()));
  }
  EXPECT_TRUE(refused(run_vidconv({"--list-resumable", path("nowhere")}), exit_output,
                      {"nowhere", "[resume]"}));
  EXPECT_TRUE(refused(shell(vidconv() + " plan " + in + " -o " + out +
                            " --kernel box --shards 2 --resume --dir " + path("job")),
                      exit_command_line, {"--resume"}));
}

}  // namespace
}  // namespace vidconv::test
