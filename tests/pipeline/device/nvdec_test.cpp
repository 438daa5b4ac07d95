// NVDEC gives the frames of the CPU's decoders for every codec and depth that the device takes, in
// any number of sessions, on ranges and whole files; the CPU decodes what NVDEC does not take.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

enum class Taken { always, by_some, never };  // by the devices of this machine

struct NvdecClip {
  const char* name;
  const char* file;
  const char* input;
  const char* codec;
  Options options;
  bool exact = true;  // the codec says what every sample is
  Taken taken = Taken::always;
  bool steady = true;  // frames come at a constant rate
};
void PrintTo(const NvdecClip& clip, std::ostream* out) { *out << clip.name; }

const Options x265{{"preset", "ultrafast"},
                   {"x265-params", "keyint=12:min-keyint=12:open-gop=0:bframes=3:log-level=error"}};
const Options x265_open{
    {"preset", "ultrafast"},
    {"x265-params", "keyint=12:min-keyint=12:open-gop=1:bframes=3:b-adapt=0:log-level=error"}};
const Options x264{{"g", "12"}, {"bf", "3"}, {"preset", "veryfast"}};
const Options x264_fields{
    {"g", "12"}, {"bf", "3"}, {"preset", "veryfast"}, {"x264-params", "tff=1"}};

const std::vector<NvdecClip> nvdec_clips = {
    {"h264", "a.mkv", "pattern:320x242:yuv420p#60", "libx264", x264},
    {"h264_mp4", "a.mp4", "pattern:322x240:yuv420p#60", "libx264", x264},
    {"h264_ts", "a.ts", "pattern:320x240:yuv420p#60", "libx264", x264},
    {"h264_fields", "a.mkv", "pattern:320x224:yuv420p#60", "libx264", x264_fields},
    {"h264_uneven", "a.mkv", "pattern:320x240:yuv420p#60", "libx264", x264, true, Taken::always,
     false},
    {"h264_10bit", "a.mkv", "pattern:320x240:yuv420p10le#24", "libx264", x264, true, Taken::never},
    {"hevc", "a.mkv", "pattern:320x242:yuv420p#60", "libx265", x265},
    {"hevc_open", "a.mp4", "pattern:320x240:yuv420p#60", "libx265", x265_open},
    {"hevc_10bit", "a.mkv", "pattern:320x240:yuv420p10le#36", "libx265", x265},
    {"hevc_12bit", "a.mkv", "pattern:320x240:yuv420p12le#36", "libx265", x265},
    {"hevc_444", "a.mkv", "pattern:320x240:yuv444p#36", "libx265", x265},
    {"hevc_444_10bit", "a.mkv", "pattern:320x240:yuv444p10le#36", "libx265", x265},
    {"vp8", "a.webm", "pattern:320x240:yuv420p#36", "libvpx", {{"g", "12"}}},
    {"vp9", "a.webm", "pattern:320x240:yuv420p#36", "libvpx-vp9", {{"g", "12"}, {"cpu-used", "8"}}},
    {"vp9_10bit",
     "a.webm",
     "pattern:320x240:yuv420p10le#36",
     "libvpx-vp9",
     {{"g", "12"}, {"cpu-used", "8"}}},
    {"av1",
     "a.mkv",
     "pattern:320x240:yuv420p#36",
     "libaom-av1",
     {{"g", "12"}, {"cpu-used", "8"}, {"usage", "realtime"}},
     true,
     Taken::by_some},
    {"mpeg2",
     "a.mkv",
     "pattern:320x240:yuv420p#36",
     "mpeg2video",
     {{"g", "12"}, {"qscale", "2"}},
     false},
    {"mpeg2_fields",
     "a.mkv",
     "pattern:320x224:yuv420p#36",
     "mpeg2video",
     {{"g", "12"}, {"flags", "+ildct+ilme"}},
     false},
    {"mjpeg", "a.mkv", "pattern:320x240:yuv420p#36", "mjpeg", {}, true, Taken::never},
    {"mpeg4", "a.mkv", "pattern:320x240:yuv420p#36", "mpeg4", {{"g", "12"}}, false},
    {"ffv1", "a.mkv", "pattern:320x240:yuv420p#36", "ffv1", {}, true, Taken::never},
};

struct Decoded {
  std::vector<std::string> pictures;
  std::vector<std::int64_t> times;
  int fallbacks = 0;
  Damage damage;
};

Decoded decode_and_filter(const std::string& path, std::optional<int> sessions,
                          SourceOptions options = {}) {
  Decoded outcome;
  options.memory = test::source_options_for(Device::cuda).memory;
  if (sessions) options.nvdec = NvdecOptions{.devices = {0}, .sessions = *sessions};
  options.notify = [&](MessageKind kind, const std::string&) {
    outcome.fallbacks += kind == MessageKind::fallback;
  };
  const auto source = open_source(path, options);
  const auto processor =
      test::processor_for(*source, {"identity"}, {.device = Device::cuda, .variant = {}});
  test::MemorySink sink;
  outcome.damage = run(*source, *processor, sink).damage;
  outcome.pictures = std::move(sink.pictures);
  outcome.times = std::move(sink.times);
  return outcome;
}

class Nvdec : public testing::TestWithParam<NvdecClip> {
 protected:
  void SetUp() override {
    if (!test::has(Device::cuda)) GTEST_SKIP() << "no CUDA device";
    if (!avcodec_find_encoder_by_name(GetParam().codec)) GTEST_SKIP() << "no such encoder";
    path_ = dir_ / GetParam().file;
    encode();
  }

  void encode() const {
    const auto source = open_source(GetParam().input, {});
    const auto sink = open_sink(
        path_, {.encoder = {.codec = GetParam().codec, .own = GetParam().options}}, source->info());
    while (auto item = source->next()) {
      Frame frame = std::move(std::get<Frame>(*item));
      if (!GetParam().steady) frame.av().pts += frame.number() * frame.number() / 7;
      sink->write(std::move(frame));
    }
    sink->finish();
  }

  test::TempDir dir_;
  std::string path_;
};

// Inverse transforms of the older codecs may differ by one; pictures predicted from them then
// differ too.
void expect_near(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].size(), b[i].size());
    int worst = 0;
    for (std::size_t j = 0; j < a[i].size(); ++j)
      worst = std::max(
          worst, std::abs(static_cast<std::uint8_t>(a[i][j]) - static_cast<std::uint8_t>(b[i][j])));
    EXPECT_LE(worst, 8) << "frame " << i;
  }
}

TEST_P(Nvdec, GivesTheFramesOfTheCpu) {
  const Decoded cpu = decode_and_filter(path_, std::nullopt);
  for (const int sessions : {1, 2, 5}) {
    SCOPED_TRACE(sessions);
    const Decoded nvdec = decode_and_filter(path_, sessions);
    EXPECT_EQ(nvdec.times, cpu.times);
    if (GetParam().exact)
      EXPECT_TRUE(nvdec.pictures == cpu.pictures);
    else
      expect_near(nvdec.pictures, cpu.pictures);
    EXPECT_FALSE(nvdec.damage.any()) << nvdec.damage.first_error;
    EXPECT_GE(nvdec.fallbacks, GetParam().taken == Taken::never ? 1 : 0);
    EXPECT_LE(nvdec.fallbacks, GetParam().taken == Taken::always ? 0 : 1);
  }
}

class NvdecParts : public Nvdec {};

TEST_P(NvdecParts, GivesPartsOfAFile) {
  for (const double start : {0.3, 0.75}) {
    const SourceOptions part{.start = start, .duration = 0.5};
    const Decoded cpu = decode_and_filter(path_, std::nullopt, part),
                  nvdec = decode_and_filter(path_, 3, part);
    EXPECT_EQ(nvdec.times, cpu.times);
    EXPECT_TRUE(nvdec.pictures == cpu.pictures) << "from " << start;
  }
}

// Damage may look different, but it does not hang, and frames keep their times.
TEST_P(Nvdec, SurvivesDamage) {
  std::string bytes = test::read_file(path_);
  for (std::size_t at = bytes.size() / 3; at < bytes.size() / 2; at += 97) bytes[at] ^= 0x55;
  test::write_file(path_, bytes);
  try {
    const Decoded nvdec = decode_and_filter(path_, 3);
    EXPECT_TRUE(std::ranges::is_sorted(nvdec.times));
  } catch (const Error& error) {
    EXPECT_TRUE(error.fault() == Fault::input || error.fault() == Fault::device) << error.message();
  }
}

// Returns exact codecs in files with an index. Without one seeking ends between key frames, and
// each decoder has its own idea of what is missing.
std::vector<NvdecClip> clips_to_cut() {
  std::vector<NvdecClip> clips;
  std::ranges::copy_if(nvdec_clips, std::back_inserter(clips), [](const NvdecClip& clip) {
    return clip.exact && !std::string_view(clip.file).ends_with(".ts");
  });
  return clips;
}
INSTANTIATE_TEST_SUITE_P(Clips, NvdecParts, testing::ValuesIn(clips_to_cut()),
                         [](const auto& instance) { return instance.param.name; });
INSTANTIATE_TEST_SUITE_P(Clips, Nvdec, testing::ValuesIn(nvdec_clips),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace vidconv
