#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "kernels/variants/variants.h"
#include "pipeline/work/light.h"
#include "pipeline/work/work.h"
#include "tests/pipeline/support/samples.h"
#include "tests/pipeline/support/support.h"

namespace vidconv::test {
namespace {

using Kind = Component::Kind;

VideoInfo video_of(AVPixelFormat format, int width, int height) {
  VideoInfo video;
  video.format = find_format(format);
  video.width = width;
  video.height = height;
  video.transfer = AVCOL_TRC_BT709;
  video.matrix = AVCOL_SPC_BT709;
  return video;
}

std::vector<FilterSpec> parse(const std::vector<std::string>& chain) {
  std::vector<FilterSpec> specs;
  for (const std::string& text : chain) specs.push_back(FilterSpec::parse(text));
  return specs;
}

Work work_of(const std::vector<std::string>& chain, const VideoInfo& video,
             Codes codes = Codes::all) {
  return make_light_work(parse(chain), *video.format, {}, make_light_plan(video, codes, {}));
}

// Filters one packed picture by `work`.
std::string filtered(const Work& work, const VideoInfo& video, const std::string& bytes,
                     const ProcessorOptions& options) {
  FramePool pool(packed_layout(*video.format, video.width, video.height), plain_memory);
  Frame frame(pool.get(), 0);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(frame.extent().data()));
  const auto processor = make_processor(work, video.width, video.height, options);
  processor->submit(std::move(frame));
  return packed(*processor->collect());
}

TEST(LightWork, StepsHandOverInScratchMemory) {
  for (const PixelFormat& format : formats()) {
    if (format.components[0].sample.storage == Storage::f32) continue;
    SCOPED_TRACE(format.name);
    std::vector<std::string> chain;
    for (std::size_t length = 0; length <= 4; ++length) {
      if (length > 0) chain.emplace_back("sobel");
      const Work work = work_of(chain, video_of(format.id, 16, 16));
      const std::size_t filters = std::max<std::size_t>(length, 1);  // none is a copy
      ASSERT_GE(work.steps.size(), filters + 2);
      EXPECT_EQ(work.steps[0].action, Action::to_light);
      EXPECT_EQ(work.steps[0].from, Place::input);
      for (std::size_t s = 1; s <= filters + 1; ++s) {
        EXPECT_EQ(work.steps[s].from, work.steps[s - 1].to);
        EXPECT_NE(work.steps[s].from, work.steps[s].to);
        EXPECT_EQ(work.steps[s].components, work.steps[0].components);
      }
      EXPECT_EQ(work.steps[filters + 1].action, Action::to_codes);
      EXPECT_EQ(work.steps[filters + 1].to, Place::output);
      // Every component reaches the output once.
      std::size_t written = 0;
      for (const Step& step : work.steps)
        if (step.to == Place::output) written += step.components.size();
      EXPECT_EQ(written, format.components.size());
      EXPECT_LE(work.scratch_frames(), 2);
    }
  }
}

// A colour is a step for each of its values: one round of steps, not several.
TEST(LightWork, StepsSideBySideReadWhatTheyDoNotWrite) {
  for (const char* colour : {"fill:#0f0", "fill:#123", "fill:white"})
    for (const std::vector<std::string>& chain : {std::vector<std::string>{colour},
                                                  {"box:size=3", colour, "sobel"},
                                                  {colour, "box:size=3"}}) {
      SCOPED_TRACE(testing::PrintToString(chain));
      const Work work = work_of(chain, video_of(AV_PIX_FMT_YUV420P, 16, 16));
      EXPECT_EQ(work.scratch_frames(), 2);
      for (const Step& step : work.steps) EXPECT_NE(step.from, step.to);
    }
}

// Black is to the left, white to the right, and the mean of both lights between; computed by hand.
TEST(LightWork, TheMiddleOfAnEdgeIsHalfTheLight) {
  struct Case {
    AVPixelFormat format;
    AVColorTransferCharacteristic transfer;
    AVColorSpace matrix;
    unsigned black, white, middle;
  };
  const Case cases[] = {
      // 255 * 0.7354; 16 + 219 * 0.7054; 64 + 876 * 0.7054
      {AV_PIX_FMT_GRAY8, AVCOL_TRC_IEC61966_2_1, AVCOL_SPC_UNSPECIFIED, 0, 255, 188},
      {AV_PIX_FMT_RGB24, AVCOL_TRC_IEC61966_2_1, AVCOL_SPC_RGB, 0, 255, 188},
      {AV_PIX_FMT_YUV420P, AVCOL_TRC_BT709, AVCOL_SPC_BT709, 16, 235, 170},
      {AV_PIX_FMT_NV12, AVCOL_TRC_SMPTE170M, AVCOL_SPC_SMPTE170M, 16, 235, 170},
      {AV_PIX_FMT_YUV422P10, AVCOL_TRC_BT2020_10, AVCOL_SPC_BT2020_NCL, 64, 940, 682},
      // 5000 of 10,000 cd/m2 are 0.9265 in PQ; half the scene's light is 0.8716 in HLG.
      {AV_PIX_FMT_P010, AVCOL_TRC_SMPTE2084, AVCOL_SPC_BT2020_NCL, 64, 940, 876},
      {AV_PIX_FMT_YUV420P10, AVCOL_TRC_ARIB_STD_B67, AVCOL_SPC_BT2020_NCL, 64, 940, 828},
      {AV_PIX_FMT_YUV444P10, AVCOL_TRC_LINEAR, AVCOL_SPC_BT709, 64, 940, 502},
  };
  constexpr int width = 16, height = 4;
  for (const Device device : all_devices())
    for (const Case& c : cases) {
      SCOPED_TRACE(av_get_pix_fmt_name(c.format));
      VideoInfo video = video_of(c.format, width, height);
      video.transfer = c.transfer;
      video.matrix = c.matrix;
      FramePool pool(packed_layout(*video.format, width, height), plain_memory);
      const FramePtr av = pool.get();
      Frame frame(FramePtr(av_frame_clone(av.get())), 0);
      for (std::size_t i = 0; i < video.format->components.size(); ++i) {
        const Component& component = video.format->components[i];
        const BytePlane plane = frame.component(i);
        const bool chroma = component.kind == Component::Kind::chroma;
        for (int y = 0; y < plane.height; ++y)
          for (int x = 0; x < plane.width; ++x) {
            const unsigned code = chroma          ? 1U << (component.sample.depth - 1)
                                  : x < width / 2 ? c.black
                                                  : c.white;
            const auto at = static_cast<std::ptrdiff_t>(x) * plane.step;
            if (component.sample.storage == Storage::u8)
              plane.as<std::uint8_t>().row(y)[at] = static_cast<std::uint8_t>(code);
            else
              plane.as<std::uint16_t>().row(y)[at] =
                  static_cast<std::uint16_t>(code << component.sample.shift);
          }
      }
      const std::string before = packed(frame);
      const std::string after =
          filtered(work_of({"row:1 1:scale=1/2"}, video), video, before, {.device = device});
      const auto samples = read_samples(c.format, width, height, after);
      for (int y = 0; y < height; ++y) {
        EXPECT_EQ(samples[0].at(2, y), c.black);
        EXPECT_EQ(samples[0].at(width / 2, y), c.middle);
        EXPECT_EQ(samples[0].at(width - 2, y), c.white);
      }
      if (video.format->components.size() > 1 && c.matrix != AVCOL_SPC_RGB) {
        const auto was = read_samples(c.format, width, height, before);
        for (std::size_t i = 1; i < 3; ++i) EXPECT_EQ(samples[i].values, was[i].values);
      }
    }
}

// CUDA and any number of threads give the same, where filters act on all of the picture, and where
// they act in places of it.
TEST(LightWork, EveryWayGivesTheSameBytes) {
  unsigned seed = 0;
  for (const PixelFormat& format : formats()) {
    if (format.components[0].sample.storage == Storage::f32) continue;
    for (const auto& [width, height] : {std::pair{1, 1}, {3, 2}, {37, 19}}) {
      VideoInfo video = video_of(format.id, width, height);
      const AVColorTransferCharacteristic transfer[] = {AVCOL_TRC_BT709, AVCOL_TRC_SMPTE2084,
                                                        AVCOL_TRC_ARIB_STD_B67, AVCOL_TRC_GAMMA28};
      const AVChromaLocation location[] = {AVCHROMA_LOC_LEFT, AVCHROMA_LOC_CENTER,
                                           AVCHROMA_LOC_TOPLEFT};
      video.transfer = transfer[++seed % std::size(transfer)];
      video.chroma_location = location[seed % std::size(location)];
      video.range = seed % 2 ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
      SCOPED_TRACE(format.name + " " + std::to_string(width) + "x" + std::to_string(height));
      const std::string place =
          width > 3 ? ":region=0,0,60%,100%;70%,50%,30%,50%" : ":region=0,0,1,1";
      const std::string before = noise(format.id, width, height, seed);
      for (const std::vector<std::string>& chain :
           {std::vector<std::string>{"gaussian:sigma=1.5", "sharpen"},
            {"gaussian:sigma=1.5" + place, "sharpen:mask=edges:sobel"},
            {"box:size=5" + place + ":feather=3", "box", "sobel" + place},
            {"tilt-shift:y=0,height=50%,blur=5"}}) {
        if (chain.size() == 1 && height == 1) continue;  // all of it is sharp
        const Work work = work_of(chain, video, seed % 3 == 0 ? Codes::limited : Codes::all);
        const Scan scan = seed % 4 == 0 ? Scan::interlaced : Scan::progressive;
        const auto by = [&](ProcessorOptions options) {
          options.scan = scan;
          return filtered(work, video, before, options);
        };
        const std::string one = by({.threads = 1});
        for (const Device device : all_devices())
          for (const int threads : {1, 3, 8})
            ASSERT_TRUE(one == by({.device = device, .threads = threads}))
                << chain[0] << (device == Device::cuda ? " cuda, " : " cpu, ") << threads
                << " threads";
        ASSERT_TRUE(one == by({.variant = find_variant("reference")})) << chain[0];
      }
    }
  }
}

TEST(LightWork, IdentityGivesThePictureBack) {
  unsigned seed = 0;
  for (const Device device : all_devices())
    for (const PixelFormat& format : formats()) {
      if (format.components[0].sample.storage == Storage::f32) continue;
      SCOPED_TRACE(format.name);
      const VideoInfo video = video_of(format.id, 21, 10);
      const std::string before = noise(format.id, 21, 10, ++seed);
      const std::string after =
          filtered(work_of({"identity"}, video), video, before, {.device = device});
      if (format.components[0].sample.depth <= 12) {  // padding and alpha too
        EXPECT_TRUE(after == before);
        continue;
      }
      const auto from = read_samples(format.id, 21, 10, before);
      const auto to = read_samples(format.id, 21, 10, after);
      for (std::size_t c = 0; c < from.size(); ++c)
        for (std::size_t i = 0; i < from[c].values.size(); ++i)
          ASSERT_NEAR(to[c].values[i], from[c].values[i], 1);
    }
}

// In its place a filter gives what it gives everywhere; of chroma only what no neighbour outside of
// the place has a share in. All else keeps its bytes.
TEST(LightWork, PlacesAreAsAllOfThePictureAndTheRestAsItWas) {
  constexpr int width = 37, height = 29;
  unsigned seed = 0;
  for (const PixelFormat& format : formats()) {
    if (format.components[0].sample.storage == Storage::f32) continue;
    SCOPED_TRACE(format.name);
    const VideoInfo video = video_of(format.id, width, height);
    const std::string before = noise(format.id, width, height, ++seed);
    const ProcessorOptions options{.threads = 2,
                                   .scan = seed % 3 == 0 ? Scan::interlaced : Scan::progressive};
    const Work placed = work_of({"box:size=5:region=9,5,20,13"}, video);
    const auto from = read_samples(format.id, width, height, before);
    const auto all = read_samples(format.id, width, height,
                                  filtered(work_of({"box:size=5"}, video), video, before, options));
    const auto got =
        read_samples(format.id, width, height, filtered(placed, video, before, options));
    ASSERT_TRUE(placed.brings_codes());
    for (std::size_t c = 0; c < from.size(); ++c) {
      const Component& component = format.components[c];
      const auto [across, down] = component.subsampling;
      const bool colour = component.kind != Kind::alpha && component.kind != Kind::padding;
      const int w = format.width_of(component, width), h = format.height_of(component, height);
      // A field of chroma stands for rows of both halves of a block of four.
      const int lines = down * (options.scan == Scan::interlaced ? 2 : 1);
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
          const auto i = static_cast<std::size_t>(y * w + x);
          const int left = x * across, right = left + across;
          const int top = y / (lines / down) * lines, bottom = top + lines;
          const int reach = across == 2 ? 2 : 0;
          const bool outside = !colour || right <= 9 || left >= 29 || bottom <= 5 || top >= 18;
          const bool within = left - reach >= 9 && right + reach <= 29 && top >= 5 && bottom <= 18;
          if (outside || within) {
            ASSERT_EQ(got[c].values[i], (outside ? from : all)[c].values[i])
                << component.name << x << "," << y;
          }
        }
    }
  }
}

TEST(LightWork, APlaceBesideAFilterOfAllMakesAllCodesAnew) {
  const VideoInfo video = video_of(AV_PIX_FMT_YUV420P, 32, 32);
  EXPECT_FALSE(work_of({"box:region=0,0,9,9", "box"}, video).brings_codes());
  const Work two = work_of({"box:region=0,0,9,9", "box:region=4,4,9,9"}, video);
  EXPECT_TRUE(two.brings_codes());
  EXPECT_LE(two.scratch_frames(), 2);
  for (const Step& step : two.steps)
    EXPECT_EQ(step.adds, step.action == Action::bring_codes && step.link > 0);
}

TEST(LightPlan, SaysWhatItAssumes) {
  const auto said = [](VideoInfo video) {
    std::string words;
    make_light_plan(video, Codes::all,
                    [&](MessageKind, const std::string& line) { words += line + "\n"; });
    return words;
  };
  VideoInfo video = video_of(AV_PIX_FMT_YUV420P, 64, 64);
  EXPECT_EQ(said(video), "");
  video.transfer = AVCOL_TRC_UNSPECIFIED;
  EXPECT_NE(said(video).find("BT.709 is assumed"), std::string::npos);
  video.matrix = AVCOL_SPC_UNSPECIFIED;
  EXPECT_NE(said(video).find("smpte170m is assumed"), std::string::npos);
  video.height = 720;
  EXPECT_NE(said(video).find("bt709 is assumed"), std::string::npos);
  VideoInfo grey = video_of(AV_PIX_FMT_GRAY8, 64, 64);
  grey.transfer = AVCOL_TRC_UNSPECIFIED;
  EXPECT_NE(said(grey).find("sRGB is assumed"), std::string::npos);
}

TEST(LightPlan, RefusesWhatItDoesNotKnow) {
  const auto refuses = [](const VideoInfo& video, const std::vector<std::string>& words) {
    expect_error(Fault::usage, words, [&] { make_light_plan(video, Codes::all, {}); });
  };
  refuses(video_of(AV_PIX_FMT_GBRPF32, 8, 8), {"gbrpf32", "float"});
  VideoInfo video = video_of(AV_PIX_FMT_YUV420P, 8, 8);
  video.transfer = AVCOL_TRC_LOG;
  refuses(video, {"log", "transfer"});
  video.transfer = AVCOL_TRC_BT709;
  for (const AVColorSpace matrix : {AVCOL_SPC_YCGCO, AVCOL_SPC_BT2020_CL, AVCOL_SPC_ICTCP,
                                    AVCOL_SPC_RGB, AVCOL_SPC_CHROMA_DERIVED_CL}) {
    SCOPED_TRACE(av_color_space_name(matrix));
    video.matrix = matrix;
    refuses(video, {"matrix", av_color_space_name(matrix)});
  }
}

}  // namespace
}  // namespace vidconv::test
