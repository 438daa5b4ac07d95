// Encoders get default qualities and rates; the user's settings take effect or are refused.
#include <map>
#include <set>

extern "C" {
#include <libavcodec/avcodec.h>
}

#include "pipeline/encode/encoder_table.h"
#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Quality : public CliTest {
 protected:
  // Makes a picture that only a high rate can encode well.
  std::string noise() const {
    const std::string file = path("noise.mkv");
    if (!std::filesystem::exists(file))
      ffmpeg(
          "-f lavfi -i testsrc2=size=176x144:rate=25 -vf noise=alls=40:allf=t -frames:v 10 "
          "-c:v libx264 -qp 0 -preset ultrafast " +
          file);
    return file;
  }
  Result encode(const std::string& name, const Arguments& more) const {
    Arguments all{noise(), "-o", path(name), "-y", "--kernel", "identity"};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  }
  std::uintmax_t size_of(const Arguments& more, const std::string& name = "a.mkv") const {
    const Result result = encode(name, more);
    EXPECT_TRUE(succeeded(result));
    return std::filesystem::file_size(path(name));
  }
};

TEST_F(Quality, IsSaidInTheLastLine) {
  const std::map<std::string, std::string> usual = {
      {"libx264", "libx264 crf=23 preset=medium"},
      {"libx265", "libx265 crf=28 preset=medium"},
      {"libsvtav1", "libsvtav1 crf=35"},
      {"libvpx-vp9", "libvpx-vp9 crf=31 b=0"},
      {"mpeg2video", "mpeg2video qscale=4"},
      {"mpeg4", "mpeg4 qscale=4"},
      {"ffv1", "ffv1,"},
  };
  for (const auto& [codec, words] : usual) {
    const Result result = encode("a.mkv", {"--codec", codec});
    EXPECT_TRUE(succeeded(result));
    EXPECT_TRUE(has_line_with(result.err, {" frames in ", path("a.mkv") + " (" + words}));
    const Result explained = run_vidconv(
        {noise(), "-o", path("b.mkv"), "--kernel", "box", "--codec", codec, "--explain"});
    EXPECT_TRUE(has_line_with(explained.out, {"encoder " + words.substr(0, words.find(','))}));
  }
}

// Old content of memory must not matter: on processors with AVX-512, x264 reads some that it did
// not write.
TEST_F(Quality, EqualRunsGiveEqualBytes) {
  std::set<std::string> outputs;
  for (const char* byte : {"0", "85", "254"}) {
    EXPECT_TRUE(succeeded(shell("MALLOC_PERTURB_=" + std::string(byte) + " " + vidconv() +
                                " pattern:352x288@25#30 -o " + path("same.mp4") +
                                " -y --kernel identity --codec libx264")));
    outputs.insert(read_file(path("same.mp4")));
  }
  EXPECT_EQ(outputs.size(), 1);
}

TEST_F(Quality, ScaleOfEachEncoderIsNamed) {
  for (const EncoderDefaults& row : encoder_table()) {
    const AVCodec* codec = avcodec_find_encoder_by_name(row.name.data());
    if (!codec || codec->capabilities & AV_CODEC_CAP_HARDWARE || !row.quality.option) continue;
    const std::string name(row.name);
    // The loop finds a container that takes the codec.
    const Arguments beyond{"--codec", name, "--crf", "300"};
    for (const std::string file : {"a.nut", "a.mkv", "a.webp", "a.rm", "a%d.jxl"}) {
      const Result result = encode(file, beyond);
      if (result.exit_code == exit_output) continue;
      EXPECT_TRUE(refused(result, exit_command_line,
                          {"--crf=300", name, row.quality.option, "the best, to"}));
      break;
    }
  }
  for (const std::string codec : {"ffv1", "prores_ks", "huffyuv"})
    EXPECT_TRUE(refused(encode("a.mkv", {"--codec", codec, "--crf", "20"}), exit_command_line,
                        {"--crf=20", codec, "no scale of quality"}))
        << codec;
}

TEST_F(Quality, BitrateTakesEffectOrIsRefused) {
  EXPECT_LT(size_of({"--bitrate", "200k"}) * 2, size_of({"--bitrate", "5M"}));
  EXPECT_LT(size_of({"--bitrate", "200k", "--codec", "libvpx-vp9"}) * 2,
            size_of({"--bitrate", "5M", "--codec", "libvpx-vp9"}));
  for (const auto& [more, words] : std::vector<std::pair<Arguments, std::vector<std::string>>>{
           {{"--bitrate", "5M", "--crf", "20"}, {"--bitrate", "--crf"}},
           {{"--bitrate", "5M", "--codec", "ffv1"}, {"--bitrate 5M", "ffv1 has no bit rate"}},
           {{"--bitrate", "fast"}, {"--bitrate", "fast", "5M or 800k"}},
           {{"--bitrate", "0"}, {"--bitrate"}},
           {{"--bitrate", "5M", "--encoder-opt", "qp=3"}, {"qp=3", "--bitrate 5M"}}}) {
    EXPECT_TRUE(refused(encode("b.mkv", more), exit_command_line, words));
    EXPECT_FALSE(std::filesystem::exists(path("b.mkv")));
  }
  EXPECT_TRUE(refused(encode("b.y4m", {"--bitrate", "5M"}), exit_command_line, {"--bitrate 5M"}));
}

TEST_F(Quality, EncoderOptionsOfTheRateTakeEffectOrAreRefused) {
  const auto by_option = [](const std::string& option) {
    return Arguments{"--encoder-opt", option};
  };
  EXPECT_LT(size_of(by_option("b=100k")) * 2, size_of({}));
  EXPECT_GT(size_of(by_option("qp=0")), size_of({}) * 2);
  EXPECT_LT(size_of(by_option("crf=45")) * 2, size_of({}));
  const auto with_codec = [&](const std::string& codec, const std::string& option) {
    return size_of({"--codec", codec, "--encoder-opt", option});
  };
  EXPECT_LT(with_codec("mpeg4", "q=20") * 2, with_codec("mpeg4", "qscale=2"));
  EXPECT_LT(with_codec("mpeg4", "global_quality=2360") * 2, with_codec("mpeg4", "qscale=2"));
  EXPECT_LT(with_codec("libvpx", "crf=50") * 2, with_codec("libvpx", "crf=10"));
  // This encoder takes a quality with a limit.
  EXPECT_LT(size_of({"--codec", "libvpx-vp9", "--crf", "10", "--encoder-opt", "b=100k"}) * 2,
            size_of({"--codec", "libvpx-vp9", "--crf", "10"}));
  for (const auto& [more, words] : std::vector<std::pair<Arguments, std::vector<std::string>>>{
           {{"--crf", "20", "--encoder-opt", "b=100k"}, {"b=100k", "no effect", "--crf 20"}},
           {{"--crf", "20", "--encoder-opt", "qp=10"}, {"qp=10", "no effect", "--crf 20"}},
           {{"--encoder-opt", "qp=10", "--encoder-opt", "b=100k"}, {"qp=10", "b=100k"}},
           {{"--encoder-opt", "q=5"}, {"q=5", "libx264", "use --crf"}},
           {{"--encoder-opt", "maxrate=1M"}, {"maxrate=1M", "bufsize"}},
           {{"--codec", "mpeg4", "--encoder-opt", "qscale=nan"}, {"qscale=nan", "not a number"}},
           {{"--codec", "mpeg4", "--encoder-opt", "q=inf"}, {"q=inf", "not a number"}},
           {{"--codec", "mpeg4", "--encoder-opt", "q=1e30"}, {"q=1e30", "not a number"}},
           {{"--codec", "ffv1", "--encoder-opt", "b=1M"}, {"b=1M", "ffv1 has no bit rate"}},
           {{"--codec", "ffv1", "--encoder-opt", "q=5"}, {"q=5", "ffv1", "no such quantiser"}},
           {{"--codec", "ffv1", "--encoder-opt", "maxrate=1M"}, {"ffv1 has no bit rate"}}}) {
    EXPECT_TRUE(refused(encode("b.mkv", more), exit_command_line, words));
    EXPECT_FALSE(std::filesystem::exists(path("b.mkv")));
  }
}

}  // namespace
}  // namespace vidconv::test
