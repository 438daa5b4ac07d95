// Checks --stats and --progress json against their schemas, and the ledger on files of several
// streams.
#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;

class Ledger : public CliTest {
 protected:
  // Makes video, two sounds and text: more than some containers hold.
  std::string film() const {
    write_file(path("words.srt"),
               "1\n00:00:00,000 --> 00:00:00,300\none\n\n"
               "2\n00:00:00,400 --> 00:00:00,700\ntwo\n");
    ffmpeg(
        "-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.8 -f lavfi -i sine=duration=0.8 -i " +
        path("words.srt") +
        " -map 0 -map 1 -map 1 -map 2 -c:v libx264 -bf 2 -g 5 -c:a aac -c:s srt " +
        path("film.mkv"));
    return path("film.mkv");
  }

  // Makes frames that are all alike.
  std::string make_still(int frames) const {
    ffmpeg("-f lavfi -i color=gray:size=64x48:rate=25 -frames:v " + std::to_string(frames) +
           " -chroma_sample_location center -c:v ffv1 " + path("still.mkv"));
    return path("still.mkv");
  }

  // Returns the report of a run with --stats; fails if the exit code is another.
  json stats(const std::string& arguments, int code = 0) const {
    const Result result = shell(vidconv() + " " + arguments + " --stats " + path("stats.json"));
    EXPECT_EQ(result.exit_code, code) << result.err;
    return json::parse(read_file(path("stats.json")));
  }

  // Returns an empty text if `objects`, one a line, match the schema docs/NAME.
  std::string complaints(const std::string& name, const std::string& objects) const {
    write_file(path("objects"), objects);
    std::string why;
    for (const std::string python : {"python3", "/usr/bin/python3"}) {
      const Result result =
          shell(python + " " VIDCONV_SOURCE_DIR "/tests/cli/support/validate.py " +
                VIDCONV_SOURCE_DIR "/docs/" + name + " < " + path("objects"));
      if (result.exit_code == 0) return "";
      if (result.exit_code != 77) return result.err;
    }
    return "python3-jsonschema is not installed";
  }
};

#define EXPECT_VALID(name, objects)                                                      \
  if (const std::string wrong = complaints(name, objects); wrong.ends_with("installed")) \
    GTEST_SKIP() << wrong;                                                               \
  else                                                                                   \
    EXPECT_EQ(wrong, "")

TEST_F(Ledger, StatsAreAsTheirSchemaSays) {
  const std::string input = film();
  const json whole = stats(input + " -o " + path("out.mkv") + " --kernel sobel --verify");
  EXPECT_VALID("stats.schema.json", whole.dump());
  EXPECT_VALID("stats.schema.json", stats("pattern:64x48#5 -o md5: --kernel box").dump());
  EXPECT_VALID("stats.schema.json", stats("pattern:64x48 --kernel box --benchmark=0.05").dump());
  EXPECT_VALID("stats.schema.json",
               stats("pattern:64x48#5 --kernel box -o md5: -o null: --audio none").dump());
  const std::string bytes = read_file(input);
  write_file(path("cut.mkv"), bytes.substr(0, bytes.size() * 2 / 3));
  EXPECT_VALID("stats.schema.json",
               stats(path("cut.mkv") + " -o " + path("cut.y4m") + " --kernel box", 7).dump());
  EXPECT_VALID("stats.schema.json",
               stats("pattern:64x48#5 -o " + path("measured.mkv") +
                     " --codec mpeg4 --kernel box --measure ssim --target psnr=30")
                   .dump());
  // The schema must also be able to reject.
  json without = whole;
  without["frames"].erase("decoded");
  EXPECT_NE(complaints("stats.schema.json", without.dump()), "");
  json with = whole;
  with["ledger"]["streams"][0]["packets"]["eaten"] = 1;
  EXPECT_NE(complaints("stats.schema.json", with.dump()), "");
}

TEST_F(Ledger, ProgressIsAsItsSchemaSays) {
  for (const std::string& input :
       {film(), std::string("pattern:640x480#300"), "- < <(cat " + film() + ")"}) {
    const Result result = shell(vidconv() + " -o null: --kernel box --progress json " + input);
    EXPECT_TRUE(succeeded(result));
    std::string lines;
    for (const std::string& line : split_lines(result.err))
      if (!line.starts_with("vidconv: ")) lines += line + "\n";
    EXPECT_VALID("progress.schema.json", lines);
  }
  EXPECT_NE(complaints("progress.schema.json", "{\"schema\":1}"), "");
}

std::int64_t sum(const json& counts, std::initializer_list<const char*> names) {
  std::int64_t total = 0;
  for (const char* name : names) total += counts.at(name).get<std::int64_t>();
  return total;
}

// Checks the equations of docs/stats.md, with ffprobe's counts where it has them.
void expect_balance(const json& stats) {
  const json& frames = stats.at("frames");
  for (const json& stream : stats.at("ledger").at("streams")) {
    const json& packets = stream.at("packets");
    SCOPED_TRACE(stream.dump());
    if (!stream.at("filtered").get<bool>()) {
      EXPECT_EQ(packets.at("read"),
                sum(packets, {"copied", "refused", "left_out", "empty", "outside", "unused"}));
      continue;
    }
    EXPECT_EQ(packets.at("read"), sum(packets, {"decoded", "refused", "outside"}));
    EXPECT_EQ(packets.at("without_picture"), 0);
    EXPECT_EQ(stream.at("frames").at("received"),
              sum(stream.at("frames"), {"handed_on", "outside", "between", "unused"}));
    EXPECT_EQ(stream.at("frames").at("handed_on"), frames.at("decoded"));
  }
  for (const char* count : {"filtered", "encoded", "written"})
    EXPECT_EQ(frames.at(count), frames.at("decoded"));
}

TEST_F(Ledger, EveryPacketIsAccountedFor) {
  const std::string input = film();
  const auto packets_of = [](const std::string& file, int stream) {
    return std::stol(
        probe(file, "stream=nb_read_packets", std::to_string(stream) + " -count_packets").at(0));
  };
  const json whole = stats(input + " -o " + path("out.mp4") + " --kernel box");
  expect_balance(whole);
  const json& streams = whole.at("ledger").at("streams");
  ASSERT_EQ(streams.size(), 4U);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(streams.at(i).at("packets").at("read"), packets_of(input, i));
    EXPECT_EQ(streams.at(i).at("packets").value("copied", 0L), i == 0 ? 0 : packets_of(input, i));
  }
  EXPECT_EQ(packets_of(path("out.mp4"), 0), whole.at("frames").at("written"));
  EXPECT_EQ(packets_of(path("out.mp4"), 1), streams.at(1).at("packets").at("copied"));
  EXPECT_EQ(whole.at("output").at("bytes"), std::filesystem::file_size(path("out.mp4")));

  const json part =
      stats(input + " -o " + path("part.mkv") + " --kernel box --start 0.2 --duration 0.32");
  expect_balance(part);
  EXPECT_EQ(part.at("frames").at("written"), 8);
  EXPECT_GT(part.at("ledger").at("streams").at(1).at("packets").at("outside"), 0);

  const json alone = stats(input + " -o " + path("out.y4m") + " --kernel box");
  expect_balance(alone);
  for (int i = 1; i < 4; ++i)
    EXPECT_EQ(alone.at("ledger").at("streams").at(i).at("packets").at("left_out"),
              packets_of(input, i));
  EXPECT_TRUE(std::ranges::any_of(
      alone.at("messages"), [](const json& message) { return message.at("class") == "left-out"; }));

  for (const char* output : {"md5:", "null:"})
    expect_balance(stats(input + " -o " + output + " --kernel box"));
}

// A header in the middle of the sound is invalid for every bitstream filter: that packet is named
// and left out, and everything else is kept.
TEST_F(Ledger, PacketsThatTheOutputRefusesAreNamed) {
  ffmpeg(
      "-f lavfi -i testsrc2=size=64x48:rate=25:duration=1 -f lavfi -i sine=duration=1 "
      "-c:v mpeg2video -c:a aac -f mpegts " +
      path("film.ts"));
  std::string bytes = read_file(path("film.ts"));
  std::size_t header = bytes.find("\x01\xC0", bytes.size() / 2);  // a sound packet's
  header = bytes.find("\xFF\xF1", header);
  ASSERT_NE(header, std::string::npos);
  bytes[header + 2] |= 0x3C;  // a sampling rate that does not exist
  write_file(path("film.ts"), bytes);
  for (const std::string out : {"out.mp4", "out.mkv"}) {
    SCOPED_TRACE(out);
    const json told = stats(path("film.ts") + " -o " + path(out) + " --kernel box", exit_damaged);
    EXPECT_EQ(told.at("outcome"), "damaged");
    // FFmpeg 7.1's parser splits this packet into two.
    const int packets = told.at("damage").at("refused").get<int>();
    EXPECT_TRUE(packets == 1 || packets == 2) << packets;
    expect_balance(told);
    const json& sound = told.at("ledger").at("streams").at(1).at("packets");
    EXPECT_EQ(sound.at("refused"), packets);
    EXPECT_EQ(probe(path(out), "stream=nb_read_packets", "a -count_packets").at(0),
              sound.at("copied").dump());
    EXPECT_EQ(frame_times(path(out)).size(), 25U);
  }
  const Result strict =
      run_vidconv({path("film.ts"), "-o", path("strict.mp4"), "--kernel", "box", "--strict"});
  EXPECT_TRUE(refused(strict, exit_damaged, {"a packet of stream #1 at ", " s makes no sense"}));
  EXPECT_FALSE(std::filesystem::exists(path("strict.mp4")));
}

TEST_F(Ledger, AddsUpWhenInterrupted) {
  ffmpeg(
      "-f lavfi -i testsrc2=size=320x240:rate=25:duration=60 -f lavfi -i sine=duration=60 "
      "-c:v mpeg2video -c:a aac " +
      path("long.mkv"));
  Process process(command({path("long.mkv"), "-o", path("out.mkv"), "--kernel", "gaussian:sigma=9",
                           "--progress", "plain", "--stats", path("stats.json")}));
  EXPECT_TRUE(process.wait_for_stderr("fps", std::chrono::seconds(60)));
  process.signal(SIGINT);
  const Result result = process.wait();
  EXPECT_EQ(result.exit_code, exit_interrupted) << result.err;
  const json told = json::parse(read_file(path("stats.json")));
  expect_balance(told);
  EXPECT_TRUE(told.at("interrupted"));
}

// There is a report however a run ends.
TEST_F(Ledger, StatsOfRunsThatFail) {
  const std::string input = film();
  const auto failed = [&](const std::string& arguments, int code) {
    std::filesystem::remove(path("stats.json"));
    const json told = stats(arguments, code);
    EXPECT_EQ(told.at("outcome"), "failed");
    EXPECT_EQ(told.at("exit_code"), code);
    EXPECT_EQ(complaints("stats.schema.json", told.dump()).find("is not"), std::string::npos)
        << complaints("stats.schema.json", told.dump());
    // The last message is the failure.
    EXPECT_EQ(told.at("messages").back().at("class"), told.at("error").at("class"));
    return told;
  };
  const json missing = failed("/nowhere.mkv -o " + path("out.mkv") + " --kernel box", 3);
  EXPECT_EQ(missing.at("error").at("class"), "input-missing");
  EXPECT_EQ(missing.at("error").at("value"), "/nowhere.mkv");
  EXPECT_TRUE(missing.at("input").at("width").is_null());
  EXPECT_EQ(missing.at("frames").at("decoded"), 0);

  const json option =
      failed(input + " -o " + path("out.mkv") + " --kernel box --encoder-opt nosuch=1", 2);
  EXPECT_EQ(option.at("error").at("class"), "encoder-option");
  EXPECT_EQ(option.at("input").at("width"), 64);
  EXPECT_TRUE(option.at("output").at("encoder").is_null());

  const std::string bytes = read_file(input);
  write_file(path("cut.mkv"), bytes.substr(0, bytes.size() * 2 / 3));
  const json damaged =
      failed(path("cut.mkv") + " -o " + path("out.mkv") + " --kernel box --strict", 7);
  EXPECT_EQ(damaged.at("error").at("class"), "damaged");
  EXPECT_GT(damaged.at("frames").at("decoded"), 0);
  EXPECT_GT(damaged.at("ledger").at("streams").at(0).at("packets").at("read"), 0);
  EXPECT_FALSE(damaged.at("output").at("encoder").is_null());
  EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));

  EXPECT_EQ(failed("pattern:64x48 -o null: --kernel box --device cuda:99", 5).at("device"),
            nullptr);
  EXPECT_EQ(stats(input + " -o null: --kernel box").at("outcome"), "done");
  EXPECT_EQ(stats(path("cut.mkv") + " -o null: --kernel box", 7).at("outcome"), "damaged");
}

// A report that cannot be written is named once.
TEST_F(Ledger, StatsThatCannotBeWritten) {
  const Result result =
      run_vidconv({film(), "-o", "null:", "--kernel", "box", "--stats", "/nowhere/stats.json"});
  EXPECT_TRUE(refused(result, exit_output, {"/nowhere/stats.json", "[output-unwritable]"}));
  EXPECT_EQ(result.err.find("[output-unwritable]"), result.err.rfind("[output-unwritable]"));
}

TEST_F(Ledger, ReportsOverwriteNoVideo) {
  const std::string input = film(), before = read_file(input);
  std::filesystem::create_symlink(input, path("link"));
  for (const std::string& report : {input, path("link")})
    for (const char* option : {"--stats", "--trace"})
      EXPECT_TRUE(
          refused(run_vidconv({input, "-o", path("out.mkv"), "--kernel", "box", option, report}),
                  exit_output, {option, report, "it is the input"}));
  EXPECT_EQ(read_file(input), before);
  EXPECT_TRUE(refused(
      run_vidconv({input, "-o", path("out.mkv"), "--kernel", "box", "--stats", path("out.mkv")}),
      exit_command_line, {"--stats", "it is the output"}));
  EXPECT_TRUE(refused(run_vidconv({input, "-o", path("out.mkv"), "--kernel", "box", "--stats",
                                   path("a"), "--trace", path("a")}),
                      exit_command_line, {"--trace", "--stats"}));
  EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
}

// Theora's encoder writes an empty packet for a picture that equals the one before. There is no
// message if no packet is empty.
TEST_F(Ledger, FramesThatTheEncoderLeavesEmptyAreNamed) {
  const std::string still = make_still(5), film = this->film();
  for (const Arguments& more : {Arguments{}, Arguments{"--shards", "2"}}) {
    Arguments words{still,       "-o",       path("still.nut"), "--codec",
                    "libtheora", "--kernel", "identity",        "-y"};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = run_vidconv(words);
    EXPECT_TRUE(succeeded(result));
    const std::size_t empty = std::ranges::count(probe(path("still.nut"), "packet=size"), "0");
    EXPECT_GT(empty, 0U);
    EXPECT_TRUE(has_line_with(result.err, {std::to_string(empty) + " of 5 frames", "[not-held]"}));
  }
  EXPECT_TRUE(refused(run_vidconv({still, "-o", path("strict.ogv"), "--codec", "libtheora",
                                   "--kernel", "identity", "--strict", "--pix-fmt", "yuv420p"}),
                      exit_output, {"--strict", "the same as the one before"}));
  EXPECT_FALSE(std::filesystem::exists(path("strict.ogv")));
  const Result moving = run_vidconv({film, "-o", path("moving.mkv"), "--kernel", "identity"});
  EXPECT_TRUE(succeeded(moving));
  EXPECT_FALSE(has_line_with(moving.err, {"the same as the one before"}));
}

// An injected loss is reported, and no file is lost.
class Loss : public Ledger, public testing::WithParamInterface<const char*> {};

TEST_P(Loss, IsExitCode1) {
  const std::string out = path("out.mkv");
  write_file(out, "precious");
  const Result result = shell(
      "LD_PRELOAD=" VIDCONV_FAULTS " ASAN_OPTIONS=verify_asan_link_order=0 VIDCONV_FAULT='" +
      std::string(GetParam()) + "' " + vidconv() + " " + film() + " --kernel box -y -o " + out);
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_TRUE(has_line_with(result.err, {"[unaccounted]"}));
  EXPECT_EQ(read_file(out), "precious");
}

INSTANTIATE_TEST_SUITE_P(Injected, Loss, testing::Values("lost packet", "lost frame"),
                         [](const auto& instance) {
                           return instance.param == std::string("lost packet") ? "Packet" : "Frame";
                         });

}  // namespace
}  // namespace vidconv::test
