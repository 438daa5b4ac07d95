// The main job filters a video file into another with all other streams and metadata.
#include <algorithm>
#include <cstdlib>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class File : public CliTest {
 protected:
  // Filters with sobel into a file in the test's directory, and returns its path.
  std::string sobel(const std::string& in, std::string_view name, Arguments more = {}) const {
    more.insert(more.begin(), {in, "-o", path(name), "--kernel", "sobel"});
    EXPECT_TRUE(succeeded(run_vidconv(more)));
    return path(name);
  }
};

TEST_F(File, KeepsFramesTimesAndSound) {
  const std::string in = clip();
  const std::string out = sobel(in, "out.mp4");
  EXPECT_EQ(frame_times(out).size(), 20U);
  EXPECT_EQ(frame_times(out), frame_times(in));
  EXPECT_EQ(packet_hashes(out, "a"), packet_hashes(in, "a"));
  EXPECT_EQ(probe(out, "stream=codec_name,width,height,pix_fmt"),
            probe(in, "stream=codec_name,width,height,pix_fmt"));
}

TEST_F(File, LeavesNothingButTheOutput) {
  const std::string in = clip();
  sobel(in, "out.mp4");
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path("")))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"clip.mp4", "out.mp4"}));
}

TEST_F(File, EdgesOfColouredPicturesAreGrey) {
  const std::string in = make_clip("in.mkv", "-pix_fmt yuv420p -c:v ffv1");
  const std::string out = sobel(in, "out.mkv", {"--codec", "ffv1"});
  ffmpeg("-i " + out + " -f rawvideo " + path("out.yuv"));
  const std::string frames = read_file(path("out.yuv"));
  constexpr std::size_t luma = std::size_t{128} * 72, frame = luma * 3 / 2;
  ASSERT_EQ(frames.size(), 20 * frame);
  for (std::size_t at = 0; at < frames.size(); at += frame)
    ASSERT_EQ(frames.substr(at + luma, luma / 2), std::string(luma / 2, '\x80'));
  EXPECT_NE(frames.find('\xff'), std::string::npos) << "no edges";
}

TEST_F(File, FlatPictureHasNoEdges) {
  ffmpeg("-f lavfi -i color=green:size=128x72:duration=0.2 -pix_fmt yuv420p -c:v ffv1 " +
         path("in.mkv"));
  const std::string out = sobel(path("in.mkv"), "out.mkv", {"--codec", "ffv1"});
  ffmpeg("-i " + out + " -f rawvideo " + path("out.yuv"));
  constexpr std::size_t luma = std::size_t{128} * 72;
  const std::string frame = read_file(path("out.yuv")).substr(0, luma * 3 / 2);
  EXPECT_EQ(frame, std::string(luma, '\0') + std::string(luma / 2, '\x80'));
}

TEST_F(File, KeepsVariableFrameRate) {
  // Frames 0 3 5 6 9 10 12 15 18 of 20.
  const std::string select = "-vf select='not(mod(n\\,3))+not(mod(n\\,5))' -fps_mode vfr ";
  for (const std::string name : {"vfr.mkv", "vfr.mp4"}) {
    const std::string in = make_clip(name, select + "-pix_fmt yuv420p -c:v libx264 -bf 2");
    const std::string out = sobel(in, "out-" + name);
    EXPECT_EQ(frame_times(out).size(), 9U) << name;
    EXPECT_EQ(frame_times(out), frame_times(in)) << name;
  }
}

TEST_F(File, BeginsAtZeroUnlessTimesAreCopied) {
  const std::string in = make_clip("in.mkv", "-pix_fmt yuv420p -c:v libx264 -output_ts_offset 1.5");
  const std::string out = sobel(in, "out.mkv");
  EXPECT_EQ(frame_times(in).front(), "1.500000");
  EXPECT_EQ(frame_times(out).front(), "0.000000");
  EXPECT_TRUE(
      succeeded(run_vidconv({in, "-o", path("kept.mkv"), "--kernel", "sobel", "--copy-times"})));
  EXPECT_EQ(frame_times(path("kept.mkv")), frame_times(in));
}

TEST_F(File, KeepsFullRangeAndColourTags) {
  const std::string tags = "stream=pix_fmt,color_range,color_space,color_transfer,color_primaries";
  const std::string in = make_clip(
      "in.mkv",
      "-vf scale=out_range=full -pix_fmt yuvj420p -c:v libx264 -colorspace bt709 -color_trc bt709 "
      "-color_primaries bt709");
  const std::string out = sobel(in, "out.mkv");
  EXPECT_EQ(probe(out, tags), probe(in, tags));
  EXPECT_TRUE(has_line_with(probe(out, tags).at(0), {"pc", "bt709"}));
}

TEST_F(File, KeepsAspectAndRotation) {
  const std::string made = path("in.mp4");
  const std::string plain = make_clip("plain.mp4", "-vf setsar=4/3 -pix_fmt yuv420p -c:v libx264");
  // FFmpeg 6 takes the rotation as an input option, FFmpeg 5 as metadata of the output.
  ASSERT_TRUE(succeeded(shell("ffmpeg -v error -display_rotation 90 -i " + plain + " -c copy " +
                              made + " || ffmpeg -v error -y -i " + plain +
                              " -c copy -metadata:s:v rotate=90 " + made)));
  const std::string out = sobel(made, "out.mp4");
  const std::string tags = "stream=sample_aspect_ratio:stream_side_data=rotation";
  EXPECT_EQ(probe(out, tags), probe(made, tags));
  EXPECT_TRUE(has_line_with(probe(out, "stream=sample_aspect_ratio").at(0), {"4:3"}));
  EXPECT_TRUE(has_line_with(probe(out, "stream_side_data=rotation").at(0), {"90"}));
}

TEST_F(File, KeepsSubtitlesChaptersMetadataAndAttachments) {
  write_file(path("words.srt"), "1\n00:00:00,100 --> 00:00:00,500\nHello\n");
  write_file(path("font.ttf"), "not really a font");
  write_file(path("chapters.txt"),
             ";FFMETADATA1\ntitle=A clip\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=400\n"
             "title=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=400\nEND=800\ntitle=Two\n");
  ffmpeg("-i " + clip() + " -i " + path("words.srt") + " -i " + path("chapters.txt") +
         " -map 0 -map 1 -map_metadata 2 -map_chapters 2 -c copy -c:s srt -metadata:s:a "
         "language=fra -attach " +
         path("font.ttf") + " -metadata:s:t mimetype=font/ttf " + path("in.mkv"));
  const std::string out = sobel(path("in.mkv"), "out.mkv");

  const auto all = [](const std::string& file, const std::string& entries) {
    const Result result =
        shell("ffprobe -v error -show_entries " + entries + " -show_chapters -of compact " + file);
    EXPECT_TRUE(succeeded(result));
    return result.out;
  };
  const std::string entries =
      "stream=index,codec_type,codec_name:stream_tags=language,filename,mimetype:format_tags=title";
  EXPECT_EQ(all(out, entries), all(path("in.mkv"), entries));
  EXPECT_TRUE(has_line_with(all(out, entries), {"attachment", "font.ttf"}));
  EXPECT_TRUE(has_line_with(all(out, entries), {"subtitle"}));
  EXPECT_TRUE(has_line_with(all(out, entries), {"Two"}));
  for (const std::string streams : {"a", "s"})
    EXPECT_EQ(packet_hashes(out, streams), packet_hashes(path("in.mkv"), streams));
}

TEST_F(File, NamesWhatTheContainerCannotCarry) {
  write_file(path("font.ttf"), "not really a font");
  ffmpeg("-i " + clip() + " -c copy -attach " + path("font.ttf") +
         " -metadata:s:t mimetype=font/ttf " + path("in.mkv"));
  const Result result = run_vidconv({path("in.mkv"), "-o", path("out.mp4"), "--kernel", "sobel"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"attachment"}));
}

TEST_F(File, KeepsHdrMetadata) {
  const std::string in = make_clip(
      "in.mkv",
      "-pix_fmt yuv420p10le -c:v libx265 -x265-params log-level=error:colorprim=bt2020:"
      "transfer=smpte2084:colormatrix=bt2020nc:max-cll=1000,400:"
      "master-display='G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)'");
  const std::string out = sobel(in, "out.mkv");
  const std::string colours = "stream=pix_fmt,color_space,color_transfer,color_primaries";
  EXPECT_TRUE(probe(out, colours).at(0).starts_with(probe(in, colours).at(0)));
  const std::string hdr = "frame_side_data=red_x,max_luminance,max_content,max_average";
  // Newer versions of FFmpeg also show the container's values on the same line.
  for (const std::string part : {"34000/50000,10000000/10000", "1000,400"}) {
    const auto has_part = [&](const std::string& line) {
      return line.ends_with(part) || line.find(part + ",") != std::string::npos;
    };
    EXPECT_TRUE(std::ranges::any_of(probe(in, hdr), has_part)) << part;
    EXPECT_TRUE(std::ranges::any_of(probe(out, hdr), has_part)) << part;
  }
}

TEST_F(File, OverwritesOnlyWhenTold) {
  const std::string in = clip();
  write_file(path("out.mp4"), "precious");
  EXPECT_TRUE(refused(run_vidconv({in, "-o", path("out.mp4"), "--kernel", "sobel"}), exit_output,
                      {path("out.mp4"), "-y"}));
  EXPECT_EQ(read_file(path("out.mp4")), "precious");
  sobel(in, "out.mp4", {"-y"});
  EXPECT_EQ(frame_times(path("out.mp4")).size(), 20U);
}

// Real footage, kept outside the repository: see CONTRIBUTING.md.
class Footage : public File {
 protected:
  // Returns the path of a file of footage; empty if it is missing.
  static std::string find(const std::string& name) {
    const char* folder = std::getenv("VIDCONV_TEST_MEDIA");
    const std::filesystem::path file =
        (folder != nullptr ? std::filesystem::path(folder)
                           : std::filesystem::path(VIDCONV_SOURCE_DIR) / "../shared/media") /
        name;
    return std::filesystem::exists(file) ? file.string() : "";
  }
};

TEST_F(Footage, Traffic) {
  const std::string in = find("traffic.mp4");
  if (in.empty()) GTEST_SKIP() << "no traffic.mp4";
  const std::string out = sobel(in, "out.mp4");
  EXPECT_EQ(frame_times(out).size(), 377U);
  EXPECT_EQ(frame_times(out), frame_times(in));
  EXPECT_EQ(packet_hashes(out, "a"), packet_hashes(in, "a"));
}

TEST_F(Footage, HandKeepsItsFullRange) {
  const std::string in = find("hand.mkv");
  if (in.empty()) GTEST_SKIP() << "no hand.mkv";
  const std::string out = sobel(in, "out.mkv");
  // The input begins at 33 ms, the output at 0.
  EXPECT_EQ(frame_times(out).size(), frame_times(in).size());
  EXPECT_EQ(frame_times(out).at(0), "0.000000");
  EXPECT_EQ(probe(out, "stream=pix_fmt,color_range"), probe(in, "stream=pix_fmt,color_range"));
  EXPECT_TRUE(has_line_with(probe(out, "stream=color_range").at(0), {"pc"}));
}

}  // namespace
}  // namespace vidconv::test
