// For unusable input vidconv gives the documented exit code and one clear line with the value, and
// leaves no output under the requested name.
#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class BadInput : public CliTest {
 protected:
  void TearDown() override {
    if (!output_may_stay) {
      EXPECT_FALSE(std::filesystem::exists(out())) << "an output was left";
    }
    EXPECT_FALSE(std::filesystem::exists(out() + ".part"));
  }

  std::string out() const { return path("out.mkv"); }
  Result sobel(const std::string& input, Arguments more = {}) const {
    more.insert(more.begin(), {input, "-o", out(), "--kernel", "sobel"});
    return run_vidconv(more);
  }

  bool output_may_stay = false;
};

TEST_F(BadInput, NotAVideo) {
  std::string words;
  while (words.size() < 5000) words += "It was a dark and stormy night.\n";
  write_file(path("notes.txt"), words);
  EXPECT_TRUE(refused(sobel(path("notes.txt")), exit_input, {path("notes.txt")}));
}

TEST_F(BadInput, SoundOnly) {
  ffmpeg("-f lavfi -i sine=duration=0.5 " + path("sound.wav"));
  EXPECT_TRUE(refused(sobel(path("sound.wav")), exit_input, {path("sound.wav"), "video"}));
}

// A picture of 128x128 in four tiles, as avifenc writes it, in base64.
constexpr const char* tiled_avif =
    "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAAHabWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAA"
    "AAAAAAAAAAAAAAAAAAAOcGl0bQAAAAAAAQAAAFZpbG9jAAAAAEQAAAUAAQAAAAEAAAICAAAACAACAAAAAQAAAgoA"
    "AAAqAAMAAAABAAACCgAAACoABAAAAAEAAAIKAAAAKgAFAAAAAQAAAgoAAAAqAAAAkGlpbmYAAAAAAAUAAAAaaW5m"
    "ZQIAAAAAAQAAZ3JpZENvbG9yAAAAABppbmZlAgAAAQACAABhdjAxQ29sb3IAAAAAGmluZmUCAAABAAMAAGF2MDFD"
    "b2xvcgAAAAAaaW5mZQIAAAEABAAAYXYwMUNvbG9yAAAAABppbmZlAgAAAQAFAABhdjAxQ29sb3IAAAAAIGlyZWYA"
    "AAAAAAAAFGRpbWcAAQAEAAIAAwAEAAUAAACZaXBycAAAAF9pcGNvAAAAFGlzcGUAAAAAAAAAgAAAAIAAAAAQcGl4"
    "aQAAAAADCAgIAAAAE2NvbHJuY2x4AAEADQAGgAAAABRpc3BlAAAAAAAAAEAAAABAAAAADGF2MUOBIAAAAAAAMmlw"
    "bWEAAAAAAAAABQABAwECAwACBAQChQMAAwQEAoUDAAQEBAKFAwAFBAQChQMAAAA6bWRhdAAAAQEAgACAEgAKCTgV"
    "f/2kBDQaQDIbHsJipO////Fn4ADPyinHliGffowbES12+7TA";

// Newer versions of FFmpeg read such pictures, and give each tile as a video of its own.
TEST_F(BadInput, PicturesInTiles) {
  ASSERT_EQ(shell("echo " + std::string(tiled_avif) + " | base64 -d > " + path("a.avif")).exit_code,
            0);
  std::string bytes = read_file(path("a.avif"));
  write_file(path("a.heic"), bytes.replace(bytes.find("avif"), 4, "heic"));
  for (const char* name : {"a.avif", "a.heic"}) {
    const Result result = sobel(path(name));
    EXPECT_TRUE(refused(result, exit_input, {name, "it is a picture ", "save it as PNG"}));
    const Result piped =
        shell("cat " + path(name) + " | " + vidconv() + " - -o " + out() + " --kernel sobel");
    EXPECT_TRUE(refused(piped, exit_input, {"standard input", "it is a picture "}));
  }
}

TEST_F(BadInput, AnimatedWebp) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=5:d=1 -c:v libwebp_anim " + path("a.webp"));
  const Result result = sobel(path("a.webp"));
  if (result.exit_code == 0) {  // FFmpeg 9
    EXPECT_EQ(frame_times(out()).size(), 5U);
    output_may_stay = true;
    return;
  }
  EXPECT_TRUE(refused(result, exit_input, {"animated WebP", "GIF"}));
}

TEST_F(BadInput, EmptyFile) {
  write_file(path("empty.mp4"), "");
  EXPECT_TRUE(refused(sobel(path("empty.mp4")), exit_input, {path("empty.mp4")}));
}

TEST_F(BadInput, EmptyStdin) {
  EXPECT_TRUE(refused(sobel("-"), exit_input, {"standard input", "empty"}));
}

TEST_F(BadInput, Directory) {
  std::filesystem::create_directory(path("folder"));
  EXPECT_TRUE(refused(sobel(path("folder")), exit_input, {path("folder"), "directory"}));
}

TEST_F(BadInput, MissingFile) {
  EXPECT_TRUE(
      refused(sobel(path("nowhere.mp4")), exit_input, {path("nowhere.mp4"), "no such file"}));
}

// The index lies at the end of an mp4, so a cut one cannot be opened at all.
TEST_F(BadInput, Mp4CutBeforeItsIndex) {
  const std::string bytes = read_file(clip());
  write_file(path("cut.mp4"), bytes.substr(0, bytes.size() / 2));
  EXPECT_TRUE(refused(sobel(path("cut.mp4")), exit_input, {path("cut.mp4")}));
}

TEST_F(BadInput, VariantsThatCannotDoTheWork) {
  EXPECT_TRUE(refused(sobel("pattern:64x48#3", {"--variant", "fastest"}), exit_command_line,
                      {"fastest", "--list-variants"}));
  EXPECT_TRUE(refused(
      sobel("pattern:64x48:yuv420p10#3", {"--device", "cpu", "--variant", "cpu-conv-u8-vnni"}),
      exit_command_line, {"cpu-conv-u8-vnni", "10-bit", "--list-variants"}));
}

class Damaged : public BadInput {
 protected:
  Damaged() { output_may_stay = true; }

  // Some of the 20 frames came out, playable, and the exit code says that the input is damaged.
  void expect_damaged(const Result& result, const std::vector<std::string>& parts) const {
    EXPECT_TRUE(refused(result, exit_damaged, parts));
    ASSERT_TRUE(std::filesystem::exists(out()));
    const std::size_t frames = frame_times(out()).size();
    EXPECT_GT(frames, 0U);
    EXPECT_LE(frames, 20U);
  }
};

TEST_F(Damaged, Mp4CutInItsFrames) {
  const std::string in =
      make_clip("in.mp4", "-pix_fmt yuv420p -c:v libx264 -g 5 -movflags +faststart");
  const std::string bytes = read_file(in);
  write_file(path("cut.mp4"), bytes.substr(0, bytes.size() * 2 / 3));
  expect_damaged(sobel(path("cut.mp4")), {path("cut.mp4")});
  EXPECT_LT(frame_times(out()).size(), 20U);
}

TEST_F(Damaged, MkvCutInItsFrames) {
  const std::string bytes = read_file(make_clip("in.mkv", "-pix_fmt yuv420p -c:v libx264 -g 5"));
  write_file(path("cut.mkv"), bytes.substr(0, bytes.size() * 2 / 3));
  expect_damaged(sobel(path("cut.mkv")), {path("cut.mkv")});
  EXPECT_LT(frame_times(out()).size(), 20U);
}

TEST_F(Damaged, GarbageInTheMiddle) {
  std::string bytes =
      read_file(make_clip("in.mp4", "-pix_fmt yuv420p -c:v libx264 -g 5 -movflags +faststart"));
  bytes.replace(bytes.size() / 2, 2000, 2000, '\xA5');
  write_file(path("garbage.mp4"), bytes);
  expect_damaged(sobel(path("garbage.mp4")), {path("garbage.mp4")});
}

// The demuxer complains only while the streams are probed.
TEST_F(Damaged, FlvWithAWrongTagAtItsBeginning) {
  std::string bytes = read_file(make_clip("in.flv", "-pix_fmt yuv420p -c:v libx264 -g 5"));
  constexpr std::size_t file_header = 9, size_before = 4, tag_header = 11;
  std::size_t tag = file_header + size_before;
  for (int i = 0; i < 5; ++i) {
    const auto byte = [&](std::size_t at) {
      return static_cast<unsigned char>(bytes.at(tag + at));
    };
    tag += tag_header + (byte(1) << 16 | byte(2) << 8 | byte(3)) + size_before;
  }
  bytes.at(tag - 1) ^= 1;  // the size of the previous tag
  write_file(path("early.flv"), bytes);
  EXPECT_FALSE(shell("ffmpeg -v error -i " + path("early.flv") + " -f null -").err.empty());
  expect_damaged(sobel(path("early.flv")), {path("early.flv"), "Packet mismatch"});
  std::filesystem::remove(out());
  EXPECT_TRUE(refused(sobel(path("early.flv"), {"--strict"}), exit_damaged, {"Packet mismatch"}));
  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST_F(Damaged, RawStdinThatEndsInsideAFrame) {
  constexpr std::size_t frame = 64 * 48 * 3 / 2;
  write_file(path("in.raw"), std::string(2 * frame + frame / 2, '\x40'));
  const Result result = run_vidconv(
      {"-", "--raw", "64x48:yuv420p", "-o", out(), "--codec", "ffv1", "--kernel", "sobel"},
      path("in.raw"));
  expect_damaged(result, {"frame"});
  EXPECT_EQ(frame_times(out()).size(), 2U);
}

TEST_F(Damaged, Y4mThatEndsInsideAFrame) {
  const std::string bytes = read_file(make_clip("in.y4m", "-pix_fmt yuv420p"));
  write_file(path("cut.y4m"), bytes.substr(0, bytes.size() - 100));
  expect_damaged(
      run_vidconv({"-", "-o", out(), "--codec", "ffv1", "--kernel", "sobel"}, path("cut.y4m")),
      {"frame"});
  EXPECT_EQ(frame_times(out()).size(), 19U);
}

TEST_F(Damaged, ResolutionChangesMidstream) {
  for (const std::string size : {"128x72", "64x48"})
    ffmpeg("-f lavfi -i testsrc2=size=" + size + ":duration=0.4 -pix_fmt yuv420p -c:v libx264 " +
           path(size + ".ts"));
  write_file(path("in.ts"), read_file(path("128x72.ts")) + read_file(path("64x48.ts")));
  const Result result = sobel(path("in.ts"));
  EXPECT_TRUE(has_line_with(result.err, {"128x72", "64x48", "frame 10", "scaled to the first"}));
  EXPECT_EQ(probe(out(), "stream=width,height").at(0).substr(0, 6), "128,72");
}

TEST_F(Damaged, PictureIsMissingInASequence) {
  ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.4 -start_number 5 " +
         path("f%03d.png"));
  EXPECT_TRUE(succeeded(sobel(path("f%03d.png"))));
  std::filesystem::remove(path("f009.png"));
  std::filesystem::remove(path("f010.png"));
  EXPECT_TRUE(refused(sobel(path("f%03d.png"), {"-y"}), exit_damaged,
                      {"f009.png' is not there, and", "f011.png' is", "[damaged]"}));
  EXPECT_EQ(frame_times(out()).size(), 4U);
}

TEST_F(BadInput, OutputInAMissingDirectory) {
  const std::string missing = path("nowhere/out.mp4");
  EXPECT_TRUE(refused(run_vidconv({clip(), "-o", missing, "--kernel", "sobel"}), exit_output,
                      {missing, "No such"}));
}

TEST_F(BadInput, OutputOfUnknownKind) {
  const std::string unknown = path("out.xyz");
  EXPECT_TRUE(
      refused(run_vidconv({clip(), "-o", unknown, "--kernel", "sobel"}), exit_output, {unknown}));
}

TEST_F(BadInput, OutputIsTheInput) {
  const std::string in = clip();
  const std::string before = read_file(in);
  std::filesystem::create_symlink(in, path("link.mp4"));
  std::filesystem::create_hard_link(in, path("same.mp4"));
  for (const std::string& output : {in, path("./clip.mp4"), path("link.mp4"), path("same.mp4")})
    EXPECT_TRUE(refused(run_vidconv({in, "-o", output, "-y", "--kernel", "sobel"}), exit_output,
                        {output, "input"}));
  EXPECT_EQ(read_file(in), before);
}

TEST_F(BadInput, CudaWithoutADevice) {
  // The empty variable hides the machine's devices.
  for (const std::string device : {"cuda", "cuda:1", "cuda:0,9", "cuda:all"}) {
    const Result result = shell("CUDA_VISIBLE_DEVICES= " + vidconv() + " pattern:64x48#2 -o " +
                                out() + " --kernel sobel --device " + device);
    EXPECT_TRUE(refused(result, exit_device, {"'" + device + "'", "--device cpu"}));
  }
}

TEST_F(BadInput, NvdecWithoutADevice) {
  const Result result = shell("CUDA_VISIBLE_DEVICES= " + vidconv() + " " + clip() + " -o " + out() +
                              " --kernel sobel --device cuda --decoder nvdec");
  EXPECT_TRUE(refused(result, exit_device, {"cuda"}));
}

struct Refusal {
  std::string name;
  Arguments arguments;             // after INPUT -o OUTPUT
  std::vector<std::string> parts;  // expected in the line on stderr
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

// All these give exit code 2.
const std::vector<Refusal> refusals = {
    {"UnknownFilter", {"--kernel", "sobl"}, {"sobl", "sobel"}},
    {"UnknownParameter", {"--kernel", "gaussian:size=3"}, {"size", "sigma"}},
    {"ParameterOutOfRange", {"--kernel", "gaussian:sigma=-1"}, {"gaussian:sigma=-1", "column 16"}},
    {"EmptyKernel", {"--kernel", ""}, {"--kernel"}},
    {"EmptyMatrix", {"--kernel", "matrix:"}, {"matrix:", "column 8"}},
    {"MatrixWithAWord", {"--kernel", "matrix:1 2 x;4 5 6"}, {"matrix:1 2 x;4 5 6", "column 12"}},
    {"MatrixWithUnevenRows", {"--kernel", "matrix:1 2 3;4 5"}, {"column 14"}},
    {"MatrixWithAnEmptyRow", {"--kernel", "matrix:1 2;;3 4"}, {"column 12"}},
    {"MatrixWithInfinity", {"--kernel", "matrix:1 1e999"}, {"column 10"}},
    {"MatrixFileMissing", {"--kernel", "file:/nowhere/kernel.txt"}, {"/nowhere/kernel.txt"}},
    {"NoKernel", {}, {"--kernel"}},
    {"UnknownOption", {"--kernel", "box", "--sharpness", "3"}, {"--sharpness"}},
    {"MisspelledOption", {"--kernel", "box", "--kernal", "box"}, {"--kernal"}},
    {"SeveralInputsAndOneOutput", {"--kernel", "box", "more.mp4"}, {"several inputs", "{stem}"}},
    {"UnknownBorder", {"--kernel", "box", "--border", "mirror"}, {"mirror", "reflect"}},
    {"UnknownPlane", {"--kernel", "box", "--planes", "r"}, {"'R'", "YUV"}},
    {"UnknownDevice", {"--kernel", "box", "--device", "gpu"}, {"--device", "gpu"}},
    {"NoListOfDevices", {"--kernel", "box", "--device", "cuda:"}, {"--device 'cuda:'", "cuda:N"}},
    {"ListWithAWord", {"--kernel", "box", "--device", "cuda:0,x"}, {"cuda:0,x", "cuda:N,M"}},
    {"ListThatGoesOn", {"--kernel", "box", "--device", "cuda:0,"}, {"'cuda:0,'", "cuda:all"}},
    {"UnknownDecoder", {"--kernel", "box", "--decoder", "gpu"}, {"--decoder", "gpu", "nvdec"}},
    {"NvdecForTheCpu",
     {"--kernel", "box", "--device", "cpu", "--decoder", "nvdec"},
     {"--decoder", "nvdec", "--device cuda"}},
    {"NoSessions",
     {"--kernel", "box", "--device", "cpu", "--decoder", "nvdec:0"},
     {"nvdec:0", "1 to 64"}},
    {"SessionsOfAWord",
     {"--kernel", "box", "--device", "cpu", "--decoder", "nvdec:all"},
     {"nvdec:all", "nvdec:SESSIONS"}},
    {"NoThreads", {"--kernel", "box", "--threads", "0"}, {"--threads"}},
    {"WordForANumber", {"--kernel", "box", "--frames", "many"}, {"many"}},
    {"UnknownProgress", {"--kernel", "box", "--progress", "pie"}, {"pie", "json"}},
    {"CopiedCodec", {"--kernel", "box", "--codec", "copy"}, {"copy", "encoded anew"}},
    {"UnknownScan", {"--kernel", "box", "--scan", "sideways"}, {"--scan", "interlaced"}},
    {"NoVideoStreamNumber", {"--kernel", "box", "--video", "0"}, {"--video"}},
    {"UnknownCodec", {"--kernel", "box", "--codec", "nocodec"}, {"nocodec"}},
    {"UnknownEncoderOption", {"--kernel", "box", "--encoder-opt", "no-such=1"}, {"no-such"}},
    {"UnknownPreset",
     {"--kernel", "box", "--preset", "nosuch"},
     {"libx264", "--preset nosuch", "[encoder-option]"}},
    {"ValueThatTheEncoderFinds",
     {"--kernel", "box", "--encoder-opt", "profile=nosuch"},
     {"libx264", "profile=nosuch", "[encoder-option]"}},
};

class CommandLine : public BadInput, public testing::WithParamInterface<Refusal> {};

TEST_P(CommandLine, IsRefused) {
  Arguments arguments{"pattern:64x48#2", "-o", out()};
  arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  EXPECT_TRUE(refused(run_vidconv(arguments), exit_command_line, GetParam().parts));
}

INSTANTIATE_TEST_SUITE_P(Refusals, CommandLine, testing::ValuesIn(refusals),
                         [](const auto& instance) { return instance.param.name; });

TEST_F(BadInput, HugeMatrix) {
  std::string row = "1";
  for (int i = 1; i < 1000; ++i) row += " 1";
  EXPECT_TRUE(refused(run_vidconv({"pattern:64x48#2", "-o", out(), "--kernel", "row:" + row}),
                      exit_command_line, {"513"}));
}

TEST_F(BadInput, EvenMatrixWorks) {
  const Result result =
      run_vidconv({"pattern:64x48#2", "-o", "md5:", "--kernel", "matrix:1 1;1 1:scale=auto"});
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(parse_digests(result.out).frames.size(), 2U);
}

struct BadPattern {
  std::string name, input, part;
};
void PrintTo(const BadPattern& pattern, std::ostream* out) { *out << pattern.input; }

class Pattern : public BadInput, public testing::WithParamInterface<BadPattern> {};

TEST_P(Pattern, IsRefused) {
  EXPECT_TRUE(refused(sobel(GetParam().input), exit_command_line, {GetParam().part}));
}

INSTANTIATE_TEST_SUITE_P(Refusals, Pattern,
                         testing::Values(BadPattern{"NoSize", "pattern:", "pattern:"},
                                         BadPattern{"NoHeight", "pattern:64", "'64'"},
                                         BadPattern{"Zero", "pattern:0x48", "0x48"},
                                         BadPattern{"Format", "pattern:64x48:yuv9", "yuv9"},
                                         BadPattern{"Rate", "pattern:64x48@fast", "fast"}),
                         [](const auto& instance) { return instance.param.name; });

// A camera's MP4 has its index behind the pictures.
TEST_F(BadInput, AnIndexThatIsMissingOrCannotBeReachedIsSaid) {
  const std::string clip = path("clip.mp4");
  output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=size=1280x720:rate=25 -t 12 -c:v libx264 "
      "-preset ultrafast -qp 6 " +
      clip);
  ASSERT_GT(std::filesystem::file_size(clip), 16U << 20);  // more than vidconv buffers from a pipe
  const std::string more = " -o null: --kernel identity";
  EXPECT_TRUE(refused(shell("cat " + clip + " | " + vidconv() + " -" + more), exit_input,
                      {"lies behind the pictures", "faststart"}));
  output_of("head -c 3000000 " + clip + " > " + path("cut.mp4"));
  for (const std::string& command : {vidconv() + " " + path("cut.mp4") + more,
                                     "cat " + path("cut.mp4") + " | " + vidconv() + " -" + more})
    EXPECT_TRUE(refused(shell(command), exit_input, {"not complete", "(moov)", "copy it again"}));
}

}  // namespace
}  // namespace vidconv::test
