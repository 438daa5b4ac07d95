// --keep-unchanged copies the packets of stretches on which no filter acts, and encodes the others
// so that every decoder goes on.
#include <signal.h>

#include <algorithm>
#include <set>

#include "tests/cli/support/cli_test.h"
#include "tests/support/thinning.h"

namespace vidconv::test {
namespace {

struct Packet {
  double shown = 0;
  bool key = false;
  std::string bytes;  // digest
};

class Unchanged : public CliTest {
 protected:
  // Makes 100 frames at 25 a second, with sound; a key frame each second where others depend on it.
  std::string make(const std::string& name, const std::string& encoding) const {
    ffmpeg("-f lavfi -i testsrc2=size=256x144:rate=25:duration=4 -f lavfi -i sine=duration=4 " +
           encoding + " -shortest " + path(name));
    return path(name);
  }
  // Filters frames 30 to 44 unless told otherwise.
  Result filter(const std::string& input, const std::string& output, const Arguments& more = {},
                const std::string& kernel = "box:size=5:between=1.2s-1.8s") const {
    Arguments all{input, "-y", "-o", path(output), "--kernel", kernel, "--keep-unchanged"};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  }
  static std::vector<Packet> packets(const std::string& file) {
    std::vector<Packet> all;
    for (const std::string& line : split_lines(
             output_of("ffprobe -v error -select_streams v:0 -show_data_hash md5 -show_entries "
                       "packet=pts_time,flags,data_hash -of csv=p=0:nk=1 " +
                       file))) {
      const std::size_t flags = line.find(','), hash = line.find(',', flags + 1);
      all.push_back({std::stod(line), line[flags + 1] == 'K', line.substr(hash)});
    }
    return all;
  }
  // Packets of frames outside of this range, in both files, which have to be the same.
  static testing::AssertionResult same_packets(const std::string& a, const std::string& b,
                                               double from, double to) {
    const auto outside = [&](const std::string& file) {
      std::vector<std::string> all;
      for (const Packet& packet : packets(file))
        if (packet.shown < from - 1e-6 || packet.shown > to - 1e-6) all.push_back(packet.bytes);
      return all;
    };
    const auto in = outside(a), out = outside(b);
    if (in.empty() || in != out)
      return testing::AssertionFailure() << in.size() << " and " << out.size() << " packets";
    return testing::AssertionSuccess();
  }
  // Each way to decode shows the same frames, without a word.
  static Digests decoded(const std::string& file) {
    const Digests all = judge_digests(file, "-xerror");
    EXPECT_EQ(judge_digests(file, "-xerror -threads 4"), all);
    EXPECT_EQ(output_of("ffmpeg -v error -i " + file + " -f null - 2>&1"), "");
    return all;
  }
  // Seeks to key frames, and two frames around each border, show what is there.
  static void seek_everywhere(const std::string& file, const Digests& all,
                              const std::vector<std::size_t>& borders) {
    const std::vector<std::string> times = frame_times(file);
    ASSERT_EQ(times.size(), all.frames.size());
    std::set<std::size_t> places;
    for (const std::size_t border : borders)
      for (std::size_t i = border < 2 ? 0 : border - 2; i < std::min(border + 3, times.size()); ++i)
        places.insert(i);
    const std::size_t most = thinned() ? 15 : 30;
    for (const Packet& packet : packets(file))
      for (std::size_t i = 0; i < times.size() && places.size() < most; ++i)
        if (packet.key && std::stod(times[i]) == packet.shown) places.insert(i);
    for (const std::size_t i : places)
      EXPECT_EQ(
          output_of("ffmpeg -v error -ss " + std::to_string(std::stod(times[i]) - 0.001) + " -i " +
                    file + " -map 0:v:0 -frames:v 1 -f framemd5 - | grep -v '#' | tail -c 33"),
          all.frames[i] + "\n")
          << "frame " << i;
  }
};

struct Codec {
  std::string name, encoding;
  bool lossless = false;
  std::size_t from = 25, to = 50;  // the frames that are encoded anew
};

class UnchangedCodecs : public Unchanged, public testing::WithParamInterface<Codec> {};

TEST_P(UnchangedCodecs, AreCopiedAndJoined) {
  const Codec& codec = GetParam();
  const std::string input = make("in-" + codec.name, codec.encoding), name = "out-" + codec.name;
  const Result result = filter(input, name);
  ASSERT_TRUE(succeeded(result));
  const std::size_t encoded = codec.to - codec.from;
  EXPECT_TRUE(has_line_with(result.err, {std::to_string(100 - encoded) + " frames are copied",
                                         std::to_string(encoded) + " are encoded", "[kept]"}))
      << result.err;
  const double rate = 25, from = static_cast<double>(codec.from) / rate;
  const double first = packets(input)[0].shown;
  EXPECT_TRUE(
      same_packets(input, path(name), first + from, first + static_cast<double>(codec.to) / rate));
  EXPECT_EQ(packet_hashes(path(name), "a"), packet_hashes(input, "a"));
  const Digests before = decoded(input), after = decoded(path(name));
  ASSERT_EQ(after.frames.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i)
    if (i < codec.from || i >= codec.to) {
      EXPECT_EQ(after.frames[i], before.frames[i]) << i;
    }
  seek_everywhere(path(name), after, {codec.from, codec.to});
  // Inside is what the filter makes: exactly, or as near as the codec comes.
  const Arguments whole{input, "--kernel", "box:size=5:between=1.2s-1.8s"};
  if (codec.lossless) {
    Arguments digests = whole;
    digests.insert(digests.end(), {"-o", "md5:"});
    EXPECT_EQ(parse_digests(run_vidconv(digests).out), after);
    return;
  }
  Arguments reference = whole;
  reference.insert(reference.end(), {"-y", "-o", path("whole.mkv"), "--codec", "ffv1"});
  ASSERT_TRUE(succeeded(run_vidconv(reference)));
  for (const std::string& file : {name, std::string("whole.mkv")})
    ffmpeg("-i " + path(file) + " -map 0:v:0 -fps_mode passthrough -pix_fmt yuv420p -f rawvideo " +
           path(file + ".raw"));
  const std::string raw = " -f rawvideo -video_size 256x144 -pix_fmt yuv420p -framerate 25 -i ";
  const std::string psnr =
      output_of("ffmpeg -v error" + raw + path(name + ".raw") + raw + path("whole.mkv.raw") +
                " -lavfi psnr=stats_file=- -f null - | grep -o 'psnr_avg:[^ ]*' | cut -d: -f2 | "
                "sort -g | head -1");
  EXPECT_GT(std::stod(psnr), 28) << "the worst frame";
}

INSTANTIATE_TEST_SUITE_P(
    All, UnchangedCodecs,
    testing::Values(
        Codec{"h264.mp4", "-c:v libx264 -g 25 -pix_fmt yuv420p"},
        Codec{"h264.mkv",
              "-c:v libx264 -g 25 -pix_fmt yuv420p -bf 8 -x264-params ref=6 "
              "-vf setsar=4/3 -color_primaries bt709 -color_trc bt709 -colorspace bt709"},
        Codec{"main.mov", "-c:v libx264 -g 25 -pix_fmt yuv420p -profile:v main"},
        Codec{"baseline.mp4", "-c:v libx264 -g 25 -pix_fmt yuv420p -profile:v baseline"},
        Codec{"high10.mp4", "-c:v libx264 -g 25 -pix_fmt yuv420p10le"},
        Codec{"lossless.mkv", "-c:v libx264 -g 25 -pix_fmt yuv420p -qp 0", true},
        Codec{"hevc.mkv",
              "-c:v libx265 -pix_fmt yuv420p -x265-params "
              "keyint=25:open-gop=0:repeat-headers=1:log-level=error"},
        Codec{"hevc.mp4",
              "-c:v libx265 -pix_fmt yuv420p -x265-params "
              "keyint=25:open-gop=0:repeat-headers=1:log-level=error"},
        Codec{"hvc1.mp4",
              "-c:v libx265 -pix_fmt yuv420p -tag:v hvc1 -x265-params "
              "keyint=25:open-gop=0:log-level=error"},
        Codec{"hevc10.mkv",
              "-c:v libx265 -pix_fmt yuv420p10le -x265-params "
              "keyint=25:open-gop=0:log-level=error"},
        Codec{"open-hevc.mp4",
              "-c:v libx265 -pix_fmt yuv420p -x265-params "
              "keyint=25:min-keyint=25:b-adapt=0:log-level=error",
              false, 21, 100},
        Codec{"open-h264.mkv",
              "-c:v libx264 -g 25 -bf 2 -pix_fmt yuv420p -x264-params "
              "open-gop=1:b-adapt=0:scenecut=0",
              false, 25, 100},
        Codec{"open-mpeg2.mkv",
              "-c:v mpeg2video -q:v 3 -g 25 -bf 2 -mpv_flags +strict_gop "
              "-sc_threshold 1000000000",
              false, 25, 52},
        Codec{"mpeg2.mkv",
              "-c:v mpeg2video -q:v 3 -g 25 -bf 2 -flags +cgop -mpv_flags +strict_gop "
              "-sc_threshold 1000000000"},
        Codec{"vp9.mkv", "-c:v libvpx-vp9 -crf 20 -b:v 0 -g 25 -cpu-used 8 -pix_fmt yuv420p"},
        Codec{"av1.mkv", "-c:v libsvtav1 -crf 30 -g 25 -preset 10 -pix_fmt yuv420p"},
        Codec{"mjpeg.mov", "-c:v mjpeg -q:v 3 -pix_fmt yuvj420p", false, 30, 45},
        Codec{"prores.mov", "-c:v prores_ks -profile:v 3", false, 30, 45},
        Codec{"dnxhr.mov", "-c:v dnxhd -profile:v dnxhr_hq -pix_fmt yuv422p", false, 30, 45},
        Codec{"ffv1.mkv", "-c:v ffv1 -level 3 -g 1 -slices 4", true, 30, 45},
        Codec{"ffv1-group.mkv", "-c:v ffv1 -level 3 -g 5 -slicecrc 0 -context 1", true, 30, 45}),
    [](const auto& row) {
      std::string name = row.param.name;
      std::ranges::replace(name, '.', '_');
      std::ranges::replace(name, '-', '_');
      return name;
    });

// Parameter sets that the input has in its packets are not overwritten.
TEST_F(Unchanged, ParameterSetsHaveNumbersOfTheirOwn) {
  const std::string input =
      make("in.mp4", "-c:v libx264 -g 25 -pix_fmt yuv420p -x264-params repeat-headers=1:sps-id=1");
  const Result result = filter(input, "out.mp4");
  ASSERT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"out.mp4", "sps-id=2"}));
  const Digests all = decoded(path("out.mp4"));
  const Digests before = judge_digests(input);
  EXPECT_EQ(all.frames[99], before.frames[99]);
  EXPECT_EQ(all.frames[0], before.frames[0]);
  EXPECT_NE(all.frames[35], before.frames[35]);
}

// The quantiser of the input is read, and the encoder gets it.
TEST_F(Unchanged, QualityIsThatOfTheInput) {
  const std::string quick = "-pix_fmt yuvj420p -c:v mjpeg -q:v ";
  for (const char* q : {"2", "9"})
    EXPECT_TRUE(has_line_with(filter(make("in.mov", quick + q), "out.mov").err,
                              {"with the quality of the input, --crf " + std::string(q)}));
  const std::string x264 = "-pix_fmt yuv420p -g 25 -c:v libx264 -qp ";
  EXPECT_TRUE(has_line_with(filter(make("in.mkv", x264 + "31"), "out.mkv").err, {"--crf 3"}));
  EXPECT_TRUE(
      has_line_with(filter(path("in.mkv"), "out.mkv", {"--crf", "18"}).err, {"out.mkv", "crf=18"}));
}

TEST_F(Unchanged, BoxesSayWhatIsEncoded) {
  const std::string input = make("in.mkv", "-c:v libx264 -qp 0 -g 25 -pix_fmt yuv420p");
  write_file(path("boxes.jsonl"),
             "{\"frame\":55,\"id\":\"a\",\"box\":[10,10,40,40]}\n"
             "{\"frame\":60,\"id\":\"a\",\"box\":[30,20,40,40]}\n");
  const Arguments boxes{"--regions", path("boxes.jsonl"), "--audit", path("audit.jsonl")};
  const Result result = filter(input, "out.mkv", boxes, "fill:black");
  ASSERT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"75 frames are copied", "25 are encoded", "[kept]"}));
  EXPECT_TRUE(same_packets(input, path("out.mkv"), 2, 3));
  Arguments whole{input, "-o", "md5:", "--kernel", "fill:black"};
  whole.insert(whole.end(), boxes.begin(), boxes.begin() + 2);
  EXPECT_EQ(parse_digests(run_vidconv(whole).out), decoded(path("out.mkv")));
  // The audit proves it, and one of another output does not.
  const std::string check =
      "python3 " VIDCONV_SOURCE_DIR "/samples/check_audit.py " + path("audit.jsonl") + " " + input;
  EXPECT_EQ(output_of(check + " " + path("out.mkv")), "100 frames are as the audit says\n");
  EXPECT_NE(shell(check + " " + input).exit_code, 0);
  ffmpeg("-i " + path("out.mkv") + " -c:v libx264 -qp 0 " + path("again.mkv"));
  EXPECT_NE(shell(check + " " + path("again.mkv")).exit_code, 0);
}

// MPEG-TS has start codes before units where the others have lengths.
TEST_F(Unchanged, AuditsKnowTheUnitsOfOtherContainers) {
  const std::string lossless = "-c:v libx264 -qp 0 -g 25 -pix_fmt yuv420p";
  const std::string hevc =
      "-c:v libx265 -pix_fmt yuv420p -preset ultrafast -x265-params "
      "keyint=25:open-gop=0:log-level=error:lossless=1";
  for (const auto& [encoding, from, to] : {std::tuple(lossless, "in.ts", "out.mkv"),
                                           {lossless, "in.mp4", "out.ts"},
                                           {lossless, "in.ts", "b.ts"},
                                           {hevc, "hevc.ts", "hevc.mp4"}}) {
    const std::string input = make(from, encoding), output = path(to);
    Arguments more{"--audit", path("audit.jsonl")};
    if (encoding == hevc)
      more.insert(more.end(), {"--encoder-opt", "x265-params=lossless=1:log-level=error"});
    ASSERT_TRUE(succeeded(filter(input, to, more)));
    const std::string check = "python3 " VIDCONV_SOURCE_DIR "/samples/check_audit.py " +
                              path("audit.jsonl") + " " + input + " ";
    EXPECT_EQ(output_of(check + output), "100 frames are as the audit says\n") << output;
    ffmpeg("-i " + output + " -c:v libx264 -qp 0 -preset ultrafast " + path("again.mkv"));
    EXPECT_NE(shell(check + path("again.mkv")).exit_code, 0);
  }
}

// Their pictures are counted on from those before, so that none comes behind what is encoded.
TEST_F(Unchanged, OpenGroupsOfHevcAreCopiedUpToTheFirstChange) {
  const std::string open = "keyint=25:min-keyint=25:b-adapt=0:log-level=error";
  const std::string input =
      make("in.mkv", "-c:v libx265 -pix_fmt yuv420p -x265-params lossless=1:" + open);
  const Result result = filter(
      input, "out.mkv",
      {"--audit", path("audit.jsonl"), "--encoder-opt", "x265-params=lossless=1:log-level=error"});
  ASSERT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"21 frames are copied", "79 are encoded", "[kept]"}));
  EXPECT_EQ(parse_digests(
                run_vidconv({input, "-o", "md5:", "--kernel", "box:size=5:between=1.2s-1.8s"}).out),
            decoded(path("out.mkv")));
  EXPECT_EQ(output_of("python3 " VIDCONV_SOURCE_DIR "/samples/check_audit.py " +
                      path("audit.jsonl") + " " + input + " " + path("out.mkv")),
            "100 frames are as the audit says\n");
}

// Pictures that lead a key picture need what was before it: they are encoded with that.
TEST_F(Unchanged, OpenGroupsOfMpeg2AreCopiedWithoutWhatLeadsThem) {
  const std::string input = make("in.mkv",
                                 "-c:v mpeg2video -q:v 3 -g 25 -bf 2 -mpv_flags +strict_gop "
                                 "-sc_threshold 1000000000");
  const Result result = filter(input, "out.mkv", {}, "box:size=5:between=1.04s-1.07s");
  ASSERT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"73 frames are copied", "27 are encoded", "[kept]"}))
      << result.err;
  const Digests before = decoded(input), after = decoded(path("out.mkv"));
  ASSERT_EQ(after.frames.size(), 100U);
  EXPECT_NE(after.frames[26], before.frames[26]);
  for (std::size_t i = 27; i < 100; ++i) EXPECT_EQ(after.frames[i], before.frames[i]) << i;
}

// The header holds the parameter sets of both, so that `hvc1` stays true: packets have none.
TEST_F(Unchanged, Hvc1HasItsParameterSetsInTheHeaderAlone) {
  const std::string input = make(
      "in.mp4", "-c:v libx265 -pix_fmt yuv420p -tag:v hvc1 -x265-params keyint=25:log-level=error");
  ASSERT_TRUE(succeeded(filter(input, "out.mp4")));
  EXPECT_EQ(
      output_of("ffprobe -v error -select_streams v -show_entries stream=codec_tag_string -of "
                "csv=p=0 " +
                path("out.mp4")),
      "hvc1\n");
  const std::string units = output_of("ffmpeg -v trace -i " + path("out.mp4") +
                                      " -map 0:v -c copy -bsf:v trace_headers -f null - 2>&1 | "
                                      "grep -E 'nal_unit_type.* 3[2-4]$' | wc -l");
  EXPECT_EQ(units, "6\n") << "three kinds of sets, of both";
}

// An MP4 may describe its pictures anew on the way.
TEST_F(Unchanged, SeveralSampleDescriptionsAreAllEncoded) {
  const std::string input = make("in.mp4", "-c:v libx264 -g 25 -pix_fmt yuv420p");
  std::string bytes = read_file(input);
  const std::size_t moov = bytes.rfind("moov");
  const auto box = [&](const char* name) { return bytes.find(name, moov) - 4; };
  const auto number = [&](std::size_t at) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  const auto set = [&](std::size_t at, std::size_t value) {
    for (std::size_t i = 4; i-- > 0; value >>= 8) bytes[at + i] = static_cast<char>(value);
  };
  constexpr std::size_t to_count = 12, to_entries = 16, of_chunks = 12;
  const std::size_t chunks = box("stsc");
  ASSERT_GT(number(chunks + to_count), 1U);
  const std::size_t last = chunks + to_entries + of_chunks * (number(chunks + to_count) - 1);
  set(last + 8, 2);
  const std::size_t first = box("stsd") + to_entries;
  const std::string entry = bytes.substr(first, number(first));
  for (const char* name : {"moov", "trak", "mdia", "minf", "stbl", "stsd"})
    set(box(name), number(box(name)) + entry.size());
  set(first - 4, 2);
  bytes.insert(first, entry);
  write_file(input, bytes);
  const Result result = filter(input, "out.mp4");
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"all is encoded: its header changes on the way"}))
      << result.err;
  EXPECT_EQ(frame_times(path("out.mp4")).size(), 100U);
}

TEST_F(Unchanged, NothingIsEncodedWhereNothingChanges) {
  const std::string input = make("in.mp4", "-c:v libx264 -g 25 -pix_fmt yuv420p");
  ASSERT_TRUE(succeeded(filter(input, "out.mp4", {}, "box:between=30s-40s")));
  EXPECT_EQ(packet_hashes(path("out.mp4"), "v"), packet_hashes(input, "v"));
}

TEST_F(Unchanged, ShardsDivideWhatIsEncoded) {
  const std::string input = make("in.mp4", "-c:v libx264 -g 25 -pix_fmt yuv420p");
  std::set<std::string> outputs;
  for (const char* jobs : {"1", "3"}) {
    EXPECT_TRUE(succeeded(
        filter(input, "out.mp4", {"--shards", "0.4s", "--jobs", jobs}, "box:between=1s-2.9s")));
    outputs.insert(read_file(path("out.mp4")));
  }
  EXPECT_EQ(outputs.size(), 1U);
  EXPECT_TRUE(same_packets(input, path("out.mp4"), 1, 3));
  std::string keys;
  for (const Packet& packet : packets(path("out.mp4")))
    if (packet.key) keys += std::to_string(packet.shown).substr(0, 4) + " ";
  EXPECT_EQ(keys, "0.00 1.00 1.40 1.80 2.20 2.60 3.00 ");
}

// Everything else is encoded like without the option, and --strict refuses.
TEST_F(Unchanged, AllIsEncodedWhereNothingFits) {
  const std::string closed = "-c:v libx264 -g 25 -pix_fmt yuv420p";
  const std::string input = make("in.mp4", closed);
  ffmpeg("-ss 1.3 -i " + input + " -c copy " + path("cut.mp4"));
  make("a.ts", closed);
  make("b.ts", closed + " -vf scale=96:64 -output_ts_offset 4");
  shell("cat " + path("a.ts") + " " + path("b.ts") + " > " + path("two.ts"));
  struct Case {
    std::string input;
    Arguments more;
    std::string why, kernel = "box:size=5:between=1.2s-1.8s";
  };
  for (const Case& each : std::vector<Case>{
           {input, {}, "no stretch between key frames", "box"},
           {input, {"--codec", "ffv1"}, "the input is h264, the output ffv1"},
           {input, {"--pix-fmt", "yuv444p"}, "4:4:4"},
           {input, {"--start", "0.5"}, "only a range of the input is read"},
           {input, {"--compare", "side"}, "--compare changes every frame"},
           {path("cut.mp4"), {}, "some of its pictures are not shown"},
           {make("long.mp4", "-c:v libx264 -g 250 -pix_fmt yuv420p"),
            {},
            "no packet but the first"},
           {make("fields.ts", "-vf setfield=tff -c:v mpeg2video -flags +ildct+ilme -g 25"),
            {},
            "they are fields"},
           {path("two.ts"), {}, "its header changes on the way"},
           {make("ffvhuff.mkv", "-c:v ffvhuff -pred median"), {}, "set its options otherwise"},
           {input, {"--codec", "gif", "--format", "gif"}, "gif is not known to encode parts"},
           {make("theora.mkv", "-c:v libtheora"), {}, "of theora nobody knows"}}) {
    SCOPED_TRACE(each.input + " " + each.why);
    const Result result = filter(each.input, "out.mkv", each.more, each.kernel);
    EXPECT_TRUE(succeeded(result));
    EXPECT_TRUE(has_line_with(result.err,
                              {"--keep-unchanged: all is encoded: ", each.why, "[all-encoded]"}))
        << result.err;
    Arguments plain{each.input, "-o", path("plain.mkv"), "-y", "--kernel", each.kernel};
    plain.insert(plain.end(), each.more.begin(), each.more.end());
    EXPECT_TRUE(succeeded(run_vidconv(plain)));
    EXPECT_EQ(judge_digests(path("out.mkv")), judge_digests(path("plain.mkv")));
    std::filesystem::remove(path("out.mkv"));
    Arguments strict = each.more;
    strict.push_back("--strict");
    EXPECT_TRUE(refused(filter(each.input, "out.mkv", strict, each.kernel), exit_output,
                        {"nothing is copied", each.why, "[strict]"}));
    EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
  }
}

TEST_F(Unchanged, WhatCannotBeBesideIsRefused) {
  const std::string input = make("in.mp4", "-c:v libx264 -g 25 -pix_fmt yuv420p");
  for (const auto& [more, words] : std::vector<std::pair<Arguments, std::vector<std::string>>>{
           {{"--bitrate", "5M"}, {"--keep-unchanged cannot be beside", "--bitrate 5M"}},
           {{"--encoder-opt", "pass=1"}, {"--keep-unchanged cannot be beside", "pass=1"}},
           {{"--latency", "100"}, {"--keep-unchanged", "does not come twice"}},
           {{"--video", "all"}, {"--keep-unchanged", "--video"}}}) {
    Arguments arguments = more;
    std::string of = input;
    if (more.back() == "all") {
      ffmpeg("-i " + input + " -map 0:v -map 0:v -c copy " + path("two.mkv"));
      of = path("two.mkv");
    }
    EXPECT_TRUE(refused(filter(of, "out.mkv", arguments), exit_command_line, words));
    EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
  }
  EXPECT_TRUE(
      refused(shell(vidconv() + " plan " + input + " -o " + path("o.mp4") +
                    " --kernel box --shards 2 --keep-unchanged --exact --dir " + path("job")),
              exit_command_line, {"--exact", "is not decoded"}));
}

// A stretch that is decoded turns out to be damaged: then nothing is copied.
TEST_F(Unchanged, DamageIsReadInOrder) {
  const std::string input = make("in.mkv", "-c:v libx264 -g 25 -pix_fmt yuv420p");
  std::string bytes = read_file(input);
  const std::string place =
      output_of("ffprobe -v error -select_streams v:0 -show_entries packet=pos -of csv=p=0 " +
                input + " | sed -n 36p");
  for (std::size_t i = 0; i < 60; ++i) bytes[std::stoul(place) + 60 + i] ^= 0x5a;
  write_file(input, bytes);
  const Result result = filter(input, "out.mkv");
  EXPECT_EQ(result.exit_code, exit_damaged);
  EXPECT_TRUE(has_line_with(result.err, {"all is encoded: the input is damaged"}));
  EXPECT_EQ(frame_times(path("out.mkv")).size(), 100U);
  EXPECT_TRUE(refused(filter(input, "out.mkv", {"--strict"}), exit_damaged, {"[damaged]"}));
}

// An output that ends early would have a gap.
TEST_F(Unchanged, InterruptedRunsLeaveNoOutput) {
  const std::string input = make("in.mp4", "-c:v libx264 -g 25 -pix_fmt yuv420p");
  ffmpeg("-stream_loop 400 -i " + input + " -c copy " + path("long.mp4"));
  Process process(
      command({path("long.mp4"), "-o", path("out.mp4"), "--kernel", "box:size=31:between=1s-1500s",
               "--keep-unchanged", "--preset", "veryslow", "--progress", "plain"}));
  EXPECT_TRUE(process.wait_for_stderr("frames", std::chrono::seconds(60)));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().exit_code, exit_interrupted);
  EXPECT_FALSE(std::filesystem::exists(path("out.mp4")));
}

}  // namespace
}  // namespace vidconv::test
