// --audio copies sound, leaves it out or re-encodes it, without changing its times.
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;

class Sound : public CliTest {
 protected:
  // Makes two seconds of video, whose sound is silent except for half a second from 0.7 s on.
  std::string clip_with(const std::string& name, const std::string& encoding,
                        const std::string& filter = "") const {
    ffmpeg(
        "-f lavfi -i testsrc2=size=64x48:rate=25:duration=2 -f lavfi -i "
        "\"aevalsrc='0.5*sin(2*PI*1000*t)*between(t,0.7,1.2)':duration=2:s=44100\" -shortest " +
        (filter.empty() ? "" : "-af " + filter + " ") + "-c:v mpeg4 " + encoding + " " +
        path(name));
    return path(name);
  }
  Result filter(const std::string& in, const std::string& out, const Arguments& more) const {
    Arguments all{in, "-o", path(out), "-y", "--kernel", "box", "--stats", path("s.json")};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  }
  std::string sound_of(const std::string& name, const std::string& what) const {
    const auto lines = probe(path(name), "stream=" + what, "a:0");
    return lines.empty() ? "" : lines[0];
  }
  // Returns when the silence of the first sound stream ends and begins again, in seconds after the
  // first picture.
  static std::pair<double, double> beep(const std::string& file) {
    const Result result = shell("ffmpeg -nostdin -v info -copyts -i " + file +
                                " -map 0:a:0 -af silencedetect=n=-30dB:d=0.2 -f null - 2>&1");
    const double picture = std::stod(frame_times(file).at(0));
    const auto value = [&](const std::string& key) {
      const std::size_t at = result.out.rfind(key);
      return at == std::string::npos ? NAN : std::stod(result.out.substr(at + key.size()));
    };
    const std::size_t first = result.out.find("silence_end: ");
    const double begin =
        first == std::string::npos ? NAN : std::stod(result.out.substr(first + 13));
    return {begin - picture, value("silence_start: ") - picture};
  }
  static void expect_same_time(const std::string& a, const std::string& b) {
    EXPECT_NEAR(beep(a).first, beep(b).first, 0.02) << b;
    EXPECT_NEAR(beep(a).second, beep(b).second, 0.02) << b;
  }
};

TEST_F(Sound, ThatAContainerCannotHoldIsNamedWithWhatItCan) {
  const std::string in = clip_with("in.mp4", "-c:a aac");
  const Result left_out = filter(in, "a.webm", {});
  EXPECT_TRUE(succeeded(left_out));
  EXPECT_TRUE(has_line_with(left_out.err, {"#1 (audio, aac)", "--audio lib", "[left-out]"}));
  EXPECT_EQ(sound_of("a.webm", "codec_name"), "");
  const Result anew = filter(in, "b.webm", {"--audio", "libopus"});
  EXPECT_TRUE(succeeded(anew));
  EXPECT_TRUE(has_line_with(anew.err, {"#1 (audio, aac) to opus by libopus", "[converted]"}));
  EXPECT_EQ(sound_of("b.webm", "codec_name"), "opus");
  expect_same_time(in, path("b.webm"));
}

TEST_F(Sound, KeepsItsTimeInEveryContainer) {
  const std::string in = clip_with("in.mkv", "-c:a pcm_s16le");
  for (const auto& [out, codec, name] : {std::tuple{"a.mp4", "aac", "aac"},
                                         {"a.mkv", "libopus", "opus"},
                                         {"b.mkv", "libvorbis", "vorbis"},
                                         {"c.mkv", "MP3", "mp3"},
                                         {"d.mkv", "flac", "flac"},
                                         {"e.mkv", "aac", "aac"},
                                         {"f.mkv", "ac3", "ac3"},
                                         {"a.mov", "pcm_s16le", "pcm_s16le"},
                                         {"a.avi", "aac", "aac"},
                                         {"b.avi", "MP3", "mp3"},
                                         {"c.avi", "ac3", "ac3"},
                                         {"a.ts", "mp2", "mp2"},
                                         {"b.ts", "aac", "aac"}}) {
    EXPECT_TRUE(succeeded(filter(in, out, {"--audio", codec}))) << out;
    EXPECT_EQ(sound_of(out, "codec_name"), name);
    expect_same_time(in, path(out));
    const json stream = json::parse(read_file(path("s.json"))).at("ledger").at("streams").at(1);
    const json& packets = stream.at("packets");
    EXPECT_EQ(packets.at("read"), packets.at("decoded")) << out;
    EXPECT_GT(packets.at("encoded"), 10) << out;
    EXPECT_EQ(packets.at("copied"), 0) << out;
  }
}

TEST_F(Sound, GapsStayGaps) {
  // A second of sound is missing before the beep, which keeps its time.
  const std::string in =
      clip_with("in.mkv", "-c:a pcm_s16le", "aselect='not(between(t\\,0.1\\,0.5))'");
  EXPECT_TRUE(succeeded(filter(in, "a.mkv", {"--audio", "flac"})));
  const auto at = [&](const std::string& file) {
    // The packets' times count: gaps between packets of the input are not decoded as silence.
    return shell("ffmpeg -nostdin -v info -i " + file +
                 " -map 0:a:0 -af aresample=async=1000,silencedetect=n=-30dB:d=0.05 -f null - 2>&1 "
                 "| grep -o 'silence_end: [0-9.]*' | head -1")
        .out;
  };
  EXPECT_NEAR(std::stod(at(in).substr(13)), std::stod(at(path("a.mkv")).substr(13)), 0.03);
  EXPECT_NEAR(beep(path("a.mkv")).first, 0.7, 0.03);
}

// Half a second is missing, or only a codec's packet.
TEST_F(Sound, WhatIsMissingBeforeTheBeepMovesItNot) {
  for (const std::string until : {"0.6", "0.12"}) {
    const std::string in =
        clip_with("in.mkv", "-c:a pcm_s16le",
                  "\"asetnsamples=441,aselect='not(between(t\\,0.1\\," + until + "))'\"");
    EXPECT_TRUE(succeeded(filter(in, "a.mp4", {"--audio", "aac"})));
    EXPECT_NEAR(beep(path("a.mp4")).first, 0.7, 0.01) << until;
  }
}

TEST_F(Sound, ThatBeginsLateOrChangesItsRate) {
  const std::string in = clip_with("in.mkv", "-c:a pcm_s16le");
  ffmpeg("-i " + in + " -itsoffset 1.5 -i " + in + " -map 0:v -map 1:a -c copy " +
         path("late.mkv"));
  EXPECT_TRUE(succeeded(filter(path("late.mkv"), "a.mp4", {"--audio", "aac"})));
  expect_same_time(path("late.mkv"), path("a.mp4"));

  ffmpeg("-i " + in + " -c:v mpeg2video -c:a mp2 -ar 48000 " + path("1.ts"));
  ffmpeg("-i " + in + " -c:v mpeg2video -c:a mp2 -ar 32000 -output_ts_offset 2.1 " + path("2.ts"));
  ASSERT_TRUE(succeeded(shell("cat " + path("1.ts") + " " + path("2.ts") + " > " + path("12.ts"))));
  filter(path("12.ts"), "a.mkv", {"--audio", "flac"});
  EXPECT_EQ(sound_of("a.mkv", "sample_rate"), "48000");
  const double second =
      std::stod(frame_times(path("2.ts")).at(0)) - std::stod(frame_times(path("1.ts")).at(0));
  EXPECT_NEAR(beep(path("a.mkv")).first, 0.7, 0.02);
  EXPECT_NEAR(beep(path("a.mkv")).second, second + 1.2, 0.02);
}

TEST_F(Sound, OfEveryStreamAndLayout) {
  ffmpeg(
      "-f lavfi -i testsrc2=size=64x48:rate=25:duration=1 -f lavfi -i sine=duration=1 -f lavfi -i "
      "anoisesrc=duration=1:sample_rate=22050 -map 0 -map 1 -map 2 -c:v mpeg4 -c:a pcm_s16le "
      "-ac:a:0 6 " +
      path("in.mkv"));
  EXPECT_TRUE(succeeded(filter(path("in.mkv"), "a.mkv", {"--audio", "libmp3lame"})));
  EXPECT_EQ(probe(path("a.mkv"), "stream=codec_name,channels", "a"),
            (std::vector<std::string>{"mp3,2", "mp3,1"}));
  EXPECT_TRUE(succeeded(filter(path("in.mkv"), "a.mp4", {"--audio", "aac"})));
  EXPECT_EQ(probe(path("a.mp4"), "stream=codec_name,sample_rate,channels", "a"),
            (std::vector<std::string>{"aac,44100,6", "aac,22050,1"}));
  // The layout has side speakers, which this encoder does not know by that name.
  ffmpeg("-i " + path("in.mkv") + " -map 0:v -map 0:a:0 -c:v copy -c:a ac3 " + path("side.mkv"));
  EXPECT_TRUE(succeeded(filter(path("side.mkv"), "b.mkv", {"--audio", "libopus"})));
  EXPECT_EQ(probe(path("b.mkv"), "stream=channels,channel_layout", "a"),
            std::vector<std::string>{"6,5.1"});
}

TEST_F(Sound, None) {
  const Result result = filter(clip(), "a.mp4", {"--audio", "none"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_FALSE(has_line_with(result.err, {"[left-out]"}));
  EXPECT_EQ(sound_of("a.mp4", "codec_name"), "");
  EXPECT_TRUE(succeeded(filter(clip(), "b.mp4", {"--audio", "none", "--strict"})));
}

TEST_F(Sound, ThatIsNotThereIsSaid) {
  ffmpeg("-i " + clip() + " -an -c copy " + path("silent.mp4"));
  for (const std::string& in : {path("silent.mp4"), std::string("pattern:64x48#3")}) {
    const Result result = filter(in, "a.mp4", {"--audio", "aac"});
    EXPECT_TRUE(succeeded(result));
    EXPECT_TRUE(has_line_with(result.err, {"--audio aac", "has no sound", "[no-effect]"})) << in;
    for (const char* satisfied : {"none", "copy"})
      EXPECT_FALSE(has_line_with(filter(in, "a.mp4", {"--audio", satisfied}).err, {"[no-effect]"}));
  }
}

// For Opus the parser complains, about copied and re-encoded streams alike.
TEST_F(Sound, DamageOfOpusIsNamed) {
  const std::string in = clip_with("in.mkv", "-c:a libopus");
  ffmpeg("-i " + in + " -c copy -bsf:a noise=amount=1 " + path("damaged.mkv"));
  const Result judge =
      shell("ffmpeg -nostdin -v error -i " + path("damaged.mkv") + " -map 0:a -f null - 2>&1");
  ASSERT_NE(judge.out.find("Opus"), std::string::npos) << judge.out;
  for (const char* audio : {"aac", "copy"}) {
    const Result result = filter(path("damaged.mkv"), "a.mkv", {"--audio", audio});
    EXPECT_EQ(result.exit_code, exit_damaged) << audio;
    EXPECT_TRUE(has_line_with(result.err, {"damaged", "Opus", "[damaged]"})) << audio;
    EXPECT_TRUE(succeeded(filter(in, "b.mkv", {"--audio", audio})));
  }
}

TEST_F(Sound, DamageIsNamed) {
  const std::string in = clip_with("in.mkv", "-c:a libmp3lame -bsf:a noise=amount=40");
  const Result result = filter(in, "a.mkv", {"--audio", "aac"});
  EXPECT_EQ(result.exit_code, exit_damaged);
  EXPECT_TRUE(has_line_with(result.err, {"sound of stream #1", "makes no sense", "[damaged]"}));
  EXPECT_EQ(sound_of("a.mkv", "codec_name"), "aac");
}

// AC-3's decoder makes sound of all of the damage, and complains.
TEST_F(Sound, DamageThatIsDecodedIsNamedToo) {
  const std::string in = clip_with("in.mkv", "-c:a ac3");
  ffmpeg("-i " + in + " -c copy -bsf:a noise=amount=40 " + path("damaged.mkv"));
  const Result result = filter(path("damaged.mkv"), "a.mkv", {"--audio", "aac"});
  EXPECT_EQ(result.exit_code, exit_damaged);
  EXPECT_TRUE(has_line_with(result.err, {"sound of stream #1", "makes no sense", "[damaged]"}));
  const json stream = json::parse(read_file(path("s.json"))).at("ledger").at("streams").at(1);
  EXPECT_GT(stream.at("packets").at("failed"), 0);
}

TEST_F(Sound, WhatCannotBeIsRefused) {
  EXPECT_TRUE(refused(filter(clip(), "a.mp4", {"--audio", "libopsu"}), exit_command_line,
                      {"libopsu", "(did you mean 'libopus'?)"}));
  EXPECT_TRUE(refused(filter(clip(), "a.mp4", {"--audio", "libx264"}), exit_command_line,
                      {"no encoder of sound", "libx264"}));
  EXPECT_TRUE(refused(filter(clip(), "a.webm", {"--audio", "aac"}), exit_output,
                      {"does not take the sound", "aac", "--audio lib"}));
  EXPECT_TRUE(
      refused(filter(clip(), "a.y4m", {"--audio", "aac"}), exit_command_line, {"--audio aac"}));
  EXPECT_FALSE(std::filesystem::exists(path("a.mp4")));
}

}  // namespace
}  // namespace vidconv::test
