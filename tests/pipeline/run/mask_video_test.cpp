// A mask video does to each frame what the mask picture shown at that time does.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <random>
#include <vector>

#include "pipeline/filter/picture_filter.h"
#include "pipeline/run/mask_videos.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::expect_error;

constexpr int mask_width = 37, mask_height = 29;
constexpr std::size_t mask_pixels = std::size_t{mask_width} * mask_height;

class MaskVideoTest : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_ / name; }

  // Returns levels of grey in large blocks, some of them black.
  static std::string levels(std::size_t picture) {
    std::mt19937 random(static_cast<unsigned>(picture));
    std::string blocks(5 * 4, 0), all;
    for (char& block : blocks) block = static_cast<char>(random() % 2 ? random() % 256 : 0);
    blocks[picture % blocks.size()] = '\xFF';
    for (std::size_t i = 0; i < mask_pixels; ++i)
      all += blocks[i / mask_width / 8 * 5 + i % mask_width / 8];
    return all;
  }

  // Makes a video of `count` of these pictures, and a file of each picture.
  std::string video(const std::string& name, std::size_t count, const std::string& rate,
                    const std::string& options = "-c:v ffv1") const {
    std::ofstream raw(file("mask.raw"), std::ios::binary);
    for (std::size_t i = 0; i < count; ++i) {
      raw << levels(i);
      std::ofstream(picture(i), std::ios::binary) << "P5\n37 29\n255\n" << levels(i);
    }
    raw.close();
    test::output_of("ffmpeg -v error -y -f rawvideo -pix_fmt gray -s 37x29 -r " + rate + " -i " +
                    file("mask.raw") + " " + options + " " + file(name));
    return file(name);
  }
  std::string picture(std::size_t i) const { return file("m" + std::to_string(i) + ".pgm"); }

  // Returns the pictures of an input that is filtered in a run.
  std::vector<std::string> filtered(const std::string& input, const FilterSpec& spec,
                                    const ProcessorOptions& options = {},
                                    const SourceOptions& from = {}, bool serial = false) {
    const auto source = open_source(input, from);
    const VideoInfo& video = source->video();
    TimedWork work(std::vector{spec}, video, [&](std::span<const FilterSpec> acting) {
      return make_work(acting, *video.format, {}, {});
    });
    work.read_masks(make_mask_videos({},
                                     [this](MessageKind, const std::string& line) {
                                       const std::lock_guard lock(mutex_);
                                       said_.push_back(line);
                                     }),
                    {video.time_base, video.clock});
    const auto processor = make_processor(work, video.width, video.height, options);
    test::MemorySink sink;
    (serial ? run_serial : run)(*source, *processor, sink, {});
    return sink.pictures;
  }

  static std::string first_of(std::vector<std::string> pictures, std::size_t i) {
    return i < pictures.size() ? pictures[i] : "none";
  }

  // Expects frame i of the input to be filtered by picture of_frame(i) alone.
  template <class F>
  void expect_pictures(const std::vector<std::string>& pictures, const std::string& input,
                       const std::string& more, const ProcessorOptions& options, const F& of_frame,
                       const Orientation& shown = {}) {
    ASSERT_FALSE(pictures.empty());
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      const FilterSpec one =
          FilterSpec::parse("box:size=9:mask=" + picture(of_frame(i)) + more).of_stored(shown);
      EXPECT_TRUE(pictures[i] == first_of(filtered(input, one, options), i)) << "frame " << i;
    }
  }

  const test::TempDir folder_;
  std::mutex mutex_;
  std::vector<std::string> said_;
};

TEST_F(MaskVideoTest, DoesWhatItsPicturesDo) {
  const std::string mask = video("mask.mkv", 5, "10");
  const auto same = [](std::size_t i) { return i; };
  for (const std::string format : {"yuv420p", "p010le", "rgb24"})
    for (const Scan scan : {Scan::progressive, Scan::interlaced})
      for (const std::string more :
           {"", ":feather=3", ":invert=1", ":region=3,5,20,9:feather=2:invert=1"}) {
        SCOPED_TRACE(format + more);
        const std::string input = "pattern:37x29:" + format + "@10#5";
        const FilterSpec spec = FilterSpec::parse("box:size=9:mask=" + mask + more);
        const auto wanted = filtered(input, spec, {.scan = scan});
        expect_pictures(wanted, input, more, {.scan = scan}, same);
        EXPECT_TRUE(filtered(input, spec, {.scan = scan}, {}, true) == wanted);
        for (const Device device : test::all_devices())
          EXPECT_TRUE(filtered(input, spec, {.device = device, .threads = 3, .scan = scan},
                               test::source_options_for(device)) == wanted);
        EXPECT_TRUE(
            filtered(input, spec, {.scan = scan, .second_opinion = true, .whole_planes = true}) ==
            wanted);
      }
  EXPECT_TRUE(said_.empty()) << said_[0];
}

// A map's video does to each frame what the map picture shown at that time does: its levels share
// what is read of it, in chains and where filters come and go too.
TEST_F(MaskVideoTest, MayBeAMap) {
  const std::string map = video("map.mkv", 5, "10");
  for (const std::string format : {"yuv420p", "p010le", "rgb24", "yuva420p"})
    for (const Scan scan : {Scan::progressive, Scan::interlaced})
      for (const std::string more : {"", ":region=3,5,20,9", ":between=f1-f2"}) {
        SCOPED_TRACE(format + more);
        const std::string input = "pattern:37x29:" + format + "@10#5";
        const auto by = [&](const std::string& file, const std::string& rest) {
          return FilterSpec::parse("gaussian:sigma=map:" + file + "*5.5" + rest);
        };
        const auto wanted = filtered(input, by(map, more), {.scan = scan});
        ASSERT_EQ(wanted.size(), 5u);
        for (std::size_t i = 0; i < wanted.size(); ++i)
          EXPECT_TRUE(wanted[i] == filtered(input, by(picture(i), more), {.scan = scan})[i]) << i;
        for (const Device device : test::all_devices())
          for (const int slots : {1, 4})
            EXPECT_TRUE(filtered(input, by(map, more),
                                 {.device = device, .slots = slots, .threads = 3, .scan = scan},
                                 test::source_options_for(device)) == wanted);
        EXPECT_TRUE(filtered(input, by(map, more),
                             {.scan = scan, .second_opinion = true, .whole_planes = true}) ==
                    wanted);
      }
}

TEST_F(MaskVideoTest, ShowsThePictureOfTheFramesTime) {
  const auto by = [&](const std::string& rate, const std::string& input, const auto& of_frame) {
    SCOPED_TRACE(rate + " on " + input);
    const FilterSpec spec = FilterSpec::parse("box:size=9:mask=" + video("m.mkv", 6, rate));
    expect_pictures(filtered(input, spec), input, "", {}, of_frame);
  };
  by("5", "pattern:37x29:gray@10#8", [](std::size_t i) { return i / 2; });
  by("20", "pattern:37x29:gray@10#3", [](std::size_t i) { return 2 * i; });
  by("30", "pattern:37x29:gray@30#6", [](std::size_t i) { return i; });  // 33 ms and 33.3
}

TEST_F(MaskVideoTest, KeepsItsLastPictureAndSaysSoOnce) {
  const std::string input = "pattern:37x29:yuv420p@10#6";
  const FilterSpec spec = FilterSpec::parse("box:size=9:mask=" + video("short.mkv", 3, "10"));
  expect_pictures(filtered(input, spec), input, "", {},
                  [](std::size_t i) { return std::min<std::size_t>(i, 2); });
  ASSERT_EQ(said_.size(), 1u);
  EXPECT_NE(said_[0].find("short.mkv ends at 0.3 s"), std::string::npos) << said_[0];
}

TEST_F(MaskVideoTest, OfASinglePictureIsForAllFrames) {
  const std::string input = "pattern:37x29:yuv420p@10#3";
  const FilterSpec spec = FilterSpec::parse("box:size=9:mask=" + video("one.mkv", 1, "10"));
  expect_pictures(filtered(input, spec), input, "", {},
                  [](std::size_t) -> std::size_t { return 0; });
  EXPECT_TRUE(said_.empty());
}

// A range has the pictures of its own times, which begin anew; so have filters that come and go.
TEST_F(MaskVideoTest, GoesByTheInputsClock) {
  test::convert("pattern:37x29:yuv420p@10#6", file("in.mkv"), {"identity"},
                {.encoder = {.codec = "ffv1"}});
  const std::string words = "box:size=9:mask=" + video("mask.mkv", 6, "10");
  const auto whole = filtered(file("in.mkv"), FilterSpec::parse(words));
  const auto part = filtered(file("in.mkv"), FilterSpec::parse(words), {}, {.start = 0.3});
  EXPECT_TRUE(part == std::vector(whole.begin() + 3, whole.end()));
  const auto some = filtered(file("in.mkv"), FilterSpec::parse(words + ":between=f2-f2,f4-"));
  for (const std::size_t i : {2u, 4u, 5u}) EXPECT_TRUE(some[i] == whole[i]) << i;
  EXPECT_FALSE(some[3] == whole[3]);
}

TEST_F(MaskVideoTest, IsOfWhatIsSeen) {
  const Orientation upside_down{-1, 0, 0, -1};
  const std::string input = "pattern:37x29:yuv420p@10#3";
  const std::string mask = video("mask.mkv", 3, "10");
  expect_pictures(
      filtered(input, FilterSpec::parse("box:size=9:mask=" + mask).of_stored(upside_down)), input,
      "", {}, [](std::size_t i) { return i; }, upside_down);
}

// Codes count as they are written, as shares of the largest code.
TEST_F(MaskVideoTest, OfManyBits) {
  const std::string deep = video("deep.mkv", 3, "10", "-vf format=gray10le -c:v ffv1");
  const auto masks = make_mask_videos({}, {});
  const auto source = open_source(deep, {});
  const auto frame = std::get<Frame>(*source->next());
  const auto weights = masks->open(deep);
  const auto luma = frame.component(0).as<const std::uint16_t>();
  for (int y = 0; y < mask_height; ++y)
    for (int x = 0; x < mask_width; ++x)
      ASSERT_EQ(weights->at(0).row(y)[x], (luma.row(y)[x] * 255 + 511) / 1023);
}

// A frame whose mask is black stays as it came; an earlier time is found again.
TEST_F(MaskVideoTest, MayBeBlackAndGoBack) {
  std::ofstream(file("black.raw"), std::ios::binary) << std::string(3 * mask_pixels, 0);
  test::output_of("ffmpeg -v error -f rawvideo -pix_fmt gray -s 37x29 -r 10 -i " +
                  file("black.raw") + " -c:v ffv1 " + file("black.mkv"));
  const std::string input = "pattern:37x29:yuv420p@10#3";
  const FilterSpec spec = FilterSpec::parse("box:size=9:mask=" + file("black.mkv"));
  EXPECT_TRUE(filtered(input, spec) == test::read_all(input).pictures);
  const auto mask = make_mask_videos({}, {})->open(video("mask.mkv", 4, "10"));
  for (const std::size_t i : {3u, 1u, 1u, 0u, 2u}) {
    const Weights& weights = mask->at(static_cast<std::int64_t>(i) * 100'000);
    EXPECT_EQ(std::string(weights.row(0), weights.row(0) + weights.bytes()), levels(i)) << i;
  }
}

TEST_F(MaskVideoTest, WhatIsNoMaskIsRefused) {
  const std::string good = video("good.mkv", 2, "10");
  video("rgb.mkv", 2, "10", "-pix_fmt bgr0 -c:v ffv1");
  video("alpha.mkv", 2, "10", "-pix_fmt yuva420p -c:v ffv1");
  test::output_of("ffmpeg -v error -f lavfi -i sine=d=0.1 " + file("sound.wav"));
  std::ofstream(file("words.txt")) << "these are words\n";
  std::ofstream(file("empty.mkv")).close();
  const std::string bytes = test::read_file(good);
  std::ofstream(file("cut.mkv"), std::ios::binary) << bytes.substr(0, 200);
  const auto refused = [&](const std::string& name, const std::vector<std::string>& says,
                           const std::string& input = "pattern:37x29:gray@10#2") {
    SCOPED_TRACE(name);
    expect_error(Fault::usage, says,
                 [&] { filtered(input, FilterSpec::parse("box:mask=" + file(name))); });
  };
  refused("good.mkv", {"column 10", "the mask is 37x29", "29x37"}, "pattern:29x37:gray@10#2");
  refused("good.mkv", {"column 10", "the mask is 37x29", "74x58"}, "pattern:74x58:gray@10#2");
  refused("rgb.mkv", {"column 10", "bgr0", "no luma", "grey"});
  refused("alpha.mkv", {"column 10", "yuva420p", "transparent"});
  for (const char* name : {"sound.wav", "words.txt", "empty.mkv", "cut.mkv"})
    refused(name, {"column 10", "cannot read the mask", "neither PNG nor PGM"});
  const auto frame = std::get<Frame>(*open_source("pattern:37x29:gray@10#1", {})->next());
  const std::vector chain{FilterSpec::parse("box:mask=" + good)};
  expect_error(Fault::usage, {"no picture", "has no time", "PNG or PGM"}, [&] {
    make_picture_filter(make_work(chain, frame.format(), {}, {}), 37, 29, {}, {.hosted = true});
  });
  expect_error(Fault::usage, {"has no time"},
               [&] { make_processor(make_work(chain, frame.format(), {}, {}), 37, 29, {}); });
}

}  // namespace
}  // namespace vidconv
