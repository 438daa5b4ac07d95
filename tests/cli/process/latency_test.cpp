// --latency drops late frames, counts and reports them; some live inputs and outputs are refused.
#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;

class Latency : public CliTest {};

// The output is read only after all of the input has been taken: a run without --latency would
// block for ever, because the input is much larger than pipes.
TEST_F(Latency, WhoeverSendsIsNotKeptWaiting) {
  constexpr int frames = 80;
  const std::string in = path("in.y4m"), out = path("out.y4m"), all_sent = path("all-sent");
  ffmpeg("-f lavfi -i testsrc2=size=320x240:rate=25:duration=3.2 " + in);
  const Result result = shell("mkfifo " + all_sent + "; (cat " + in + "; echo > " + all_sent +
                              ") | " + vidconv() + " - --latency 100 -o - --kernel box --stats " +
                              path("stats") + " | (read < " + all_sent + "; cat > " + out + ")");
  ASSERT_TRUE(succeeded(result));
  const json stats = json::parse(read_file(path("stats")));
  const int dropped = stats.at("frames").at("dropped");
  const int written = stats.at("frames").at("written");
  EXPECT_EQ(stats.at("frames").at("decoded"), frames);
  EXPECT_EQ(dropped + written, frames);
  EXPECT_GE(dropped, 40);
  EXPECT_GE(written, 1);
  EXPECT_EQ(stats.at("latency").at("dropped"), dropped);
  EXPECT_EQ(stats.at("latency").at("limit_ms"), 100);
  EXPECT_LE(stats.at("latency").at("most_in_flight"), 2);
  EXPECT_LE(stats.at("latency").at("most_waiting"), 3);
  EXPECT_TRUE(has_line_with(
      result.err, {std::to_string(dropped) + " of 80 frames were dropped", "100 ms", "[dropped]"}));
  EXPECT_TRUE(has_line_with(result.err, {"latency ", "at worst", " frames dropped"}));
  EXPECT_EQ(static_cast<int>(judge_digests(out).frames.size()), written);
}

// With enough time the output is the same, frame for frame.
TEST_F(Latency, WithTimeEnoughNothingChanges) {
  const std::string in = make_clip("in.nut", "-c:v ffv1 -pix_fmt yuv420p");
  const auto digests = [&](const std::string& more) {
    return parse_digests(
        output_of("cat " + in + " | " + vidconv() + " - -q --kernel sobel -o md5: " + more));
  };
  EXPECT_EQ(digests("--latency 60000"), digests(""));
}

TEST_F(Latency, DroppedFramesAreAnErrorWithStrict) {
  const std::string all_sent = path("all-sent"), in = path("in.y4m");
  ffmpeg("-f lavfi -i testsrc2=size=320x240:rate=25:duration=3.2 " + in);
  const Result result = shell(
      "set +o pipefail; mkfifo " + all_sent + "; (cat " + in + "; echo > " + all_sent + ") | " +
      vidconv() + " - --latency 100 -o - --format raw --kernel box --strict | (read < " + all_sent +
      "; cat > /dev/null); exit ${PIPESTATUS[1]}");
  EXPECT_TRUE(refused(result, exit_output, {"--strict", "frames were dropped", "[strict]"}));
}

TEST_F(Latency, ExplainSaysWhatIsDone) {
  const std::string in = make_clip("in.nut", "-c:v ffv1 -pix_fmt yuv420p");
  const auto explain = [&](const std::string& more) {
    return output_of("cat " + in + " | " + vidconv() + " - -q --explain --kernel box -o " +
                     path("out.mkv ") + more);
  };
  const std::string x264 = explain("--codec libx264 --latency 100");
  EXPECT_TRUE(has_line_with(x264, {"latency 100 ms", "2 frames at most", "dropped and counted"}));
  EXPECT_TRUE(has_line_with(x264, {"libx264", "tune=zerolatency", "g=50"}));
  EXPECT_EQ(explain("--codec libx264").find("zerolatency"), std::string::npos);
  // The user's option takes precedence.
  const std::string tuned = explain("--codec libx264 --latency 100 --encoder-opt tune=film");
  EXPECT_EQ(tuned.find("zerolatency"), std::string::npos);
}

// Every encoder of the table that this FFmpeg has accepts its options for low delay.
TEST_F(Latency, EncodersWithoutLookahead) {
  const std::string in = path("in.y4m");
  ffmpeg("-f lavfi -i testsrc2=size=64x64:rate=25 -frames:v 6 " + in);
  for (const std::string codec : {"libx264", "libx265", "libvpx-vp9", "libvpx", "libsvtav1",
                                  "libaom-av1", "mpeg4", "mpeg2video", "mjpeg", "ffv1"}) {
    SCOPED_TRACE(codec);
    const Result result =
        shell("cat " + in + " | " + vidconv() + " - -q --latency 60000 --kernel box " +
              "--device cpu -y -o " + path("out.mkv") + " --codec " + codec);
    if (result.err.find("there is no encoder") != std::string::npos) continue;
    EXPECT_TRUE(succeeded(result));  // the ledger has all six frames
  }
}

struct WrongUse {
  const char* words;
  Exit code;
  std::vector<std::string> parts;  // expected in the line
};

class WrongLive : public CliTest, public testing::WithParamInterface<WrongUse> {};

TEST_P(WrongLive, IsRefused) {
  const Result result = shell(vidconv() + " " + GetParam().words + " --kernel box < " + clip());
  EXPECT_TRUE(refused(result, GetParam().code, GetParam().parts));
}

const WrongUse wrong_uses[] = {
    {"- -o null: --latency 0", exit_command_line, {"--latency", "'0'", "from 1 to 60000"}},
    {"- -o null: --latency soon", exit_command_line, {"--latency", "'soon'", "number"}},
    {"- -o null: --latency 50",
     exit_command_line,
     {"--latency", "'-' waits for its reader", "leave it out"}},
    {"pattern:64x48 -o null: --latency 50",
     exit_command_line,
     {"--latency '50'", "a pattern waits for its reader", "leave it out"}},
    {"- -o a.mkv --latency 50 --shards 2",
     exit_command_line,
     {"--latency '50'", "--shards come out long after", "leave out one"}},
    {"udp://127.0.0.1:9 -o null: --latency 50 --benchmark",
     exit_command_line,
     {"--latency '50'", "no output", "leave it out"}},
    {"udp://127.0.0.1:9 -o null: --start 5",
     exit_command_line,
     {"--start", "'5 s'", "is live", "leave it out"}},
    {"udp://127.0.0.1:9 -o a.mkv --target psnr=40",
     exit_command_line,
     {"--target", "can be read once", "use --crf"}},
    {"pattern:64x48 -o udp://127.0.0.1:9",
     exit_command_line,
     {"'udp://127.0.0.1:9'", "does not say what is sent", "add --format mpegts"}},
    {"pattern:64x48 -o rtmp://127.0.0.1/live/x",
     exit_command_line,
     {"rtmp://127.0.0.1/live", "add --format flv"}},
    {"pattern:64x48 -o sftp://127.0.0.1/a --format nut",
     exit_output,
     {"'sftp://127.0.0.1/a'", "cannot be sent by sftp", "udp, tcp"}},
    {"pattern:64x48 -o udp://127.0.0.1:9 --format image2",
     exit_command_line,
     {"--format 'image2'", "pictures are files", "frame%04d.png"}},
    {"a.mkv b.mkv -o udp://127.0.0.1:9 --format nut",
     exit_command_line,
     {"--output 'udp://127.0.0.1:9'", "takes one video", "name one input"}},
    {"pattern:64x48#2 -o tcp://127.0.0.1:1 --format nut",
     exit_output,
     {"'tcp://127.0.0.1:1'", "refused", "[output-unwritable]"}},
    {"v4l2:/dev/video99 -o null:",
     exit_input,
     {"the camera '/dev/video99'", "no such device", "v4l2-ctl --list-devices"}},
    {"v4l2: -o null:", exit_input, {"the camera", "no name", "v4l2:/dev/video0"}},
    {"v4l2:/dev/video0 --format-in mjpeg -o null:",
     exit_command_line,
     {"--format-in 'mjpeg'", "a camera already", "input_format="}},
    {":0 --format-in nosuch -o null:",
     exit_command_line,
     {"no input format", "'nosuch'", "ffmpeg -demuxers"}},
    {"- --input-opt nosuch=1 -o null:",
     exit_command_line,
     {"--input-opt nosuch=1", "has no such option", "ffmpeg -h demuxer="}},
    {"- --input-opt protocol_whitelist=file -o null:",
     exit_command_line,
     {"--input-opt protocol_whitelist", "where an input may lead", "TRUST"}},
    {"- --input-opt size -o null:",
     exit_command_line,
     {"--input-opt", "'size'", "key=value", "video_size="}},
};

INSTANTIATE_TEST_SUITE_P(Uses, WrongLive, testing::ValuesIn(wrong_uses));

}  // namespace
}  // namespace vidconv::test
