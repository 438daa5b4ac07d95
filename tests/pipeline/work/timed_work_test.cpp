// Filters that act on some frames only give there what they give on all frames; the others are the
// input's own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "kernels/variants/variants.h"
#include "pipeline/filter/case_convolvers.h"
#include "pipeline/run/compare.h"
#include "pipeline/work/light.h"
#include "tests/pipeline/support/support.h"

namespace vidconv::test {
namespace {

using Chain = std::vector<std::string>;

std::vector<std::string> run_chain(const std::string& input, const Chain& chain,
                                   ProcessorOptions options = {}, bool serial = false,
                                   SourceOptions source_options = {}, std::size_t capacity = 2) {
  source_options.memory = source_options_for(options.device).memory;
  const auto source = open_source(input, source_options);
  const auto processor = processor_for(*source, chain, options);
  MemorySink sink;
  RunOptions run_options;
  run_options.channel_capacity = capacity;
  (serial ? run_serial : run)(*source, *processor, sink, run_options);
  return sink.pictures;
}

class Timed : public testing::TestWithParam<Device> {
 protected:
  void SetUp() override {
    if (!has(GetParam())) GTEST_SKIP() << "no such device";
  }
  static ProcessorOptions options(int slots = 4) {
    return {.device = GetParam(), .slots = slots, .threads = 2, .variant = {}};
  }
};

// Returns the filters that act on a frame, by its number.
using Acting = std::function<Chain(int)>;

void expect_frames(const std::string& input, const Chain& chain, const Acting& acting,
                   const ProcessorOptions& options) {
  const std::vector<std::string> pictures = run_chain(input, chain, options);
  const std::vector<std::string> before = read_all(input).pictures;
  ASSERT_EQ(pictures.size(), before.size());
  std::map<Chain, std::vector<std::string>> always;  // frames with these filters on every one
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const Chain now = acting(static_cast<int>(i));
    if (!now.empty() && !always.contains(now)) always[now] = run_chain(input, now, options);
    ASSERT_TRUE(pictures[i] == (now.empty() ? before : always[now])[i]) << "frame " << i;
  }
  EXPECT_EQ(pictures, run_chain(input, chain, options, true)) << "run_serial";
}

TEST_P(Timed, EveryFormatByTimeAndByNumber) {
  for (const PixelFormat& format : formats()) {
    SCOPED_TRACE(format.name);
    expect_frames(
        "pattern:35x18:" + format.name + "@10#12",
        {"gaussian:sigma=1.5:between=0.3-0.6,f8-f8", "sobel:between=0.5-0.7"},
        [](int i) -> Chain {
          if (i == 3 || i == 4 || i == 8) return {"gaussian:sigma=1.5"};
          if (i == 5) return {"gaussian:sigma=1.5", "sobel"};
          if (i == 6) return {"sobel"};
          return {};
        },
        options());
  }
}

TEST_P(Timed, FiltersThatNeverRestLeaveNothingOut) {
  expect_frames(
      "pattern:64x48@25#10", {"box", "sharpen:between=f4-"},
      [](int i) {
        return i < 4 ? Chain{"box"} : Chain{"box", "sharpen"};
      },
      options());
}

// Each frame looks as if its rounded value were every frame's; if that changes nothing, it is
// passed on.
TEST_P(Timed, ValuesOverTimeAreThoseOfTheirMoment) {
  const auto value = [](double exact, double range) {
    return std::floor(exact / (range / 256) + 0.5) * (range / 256);
  };
  expect_frames(
      "pattern:64x48:yuv420p@10#24",
      {"gaussian:sigma=0..2@0.5-1.5", "sharpen:amount=1..3@0.4-2:ease=in:between=-f18"},
      [&](int i) {
        Chain now;
        const double along = std::clamp((i - 5) / 10., 0., 1.);
        const double sharper = std::clamp((i - 4) / 16., 0., 1.);
        if (i > 5) now.push_back(fmt::format("gaussian:sigma={}", value(2 * along, 2)));
        if (i <= 18)
          now.push_back(fmt::format("sharpen:amount={}", 1 + value(2 * sharper * sharper, 2)));
        return now;
      },
      options());
  expect_frames(
      "pattern:64x48:gray@10#20", {"box:size=1..9@f4-f12:ease=hold"},
      [](int i) { return i < 12 ? Chain{} : Chain{"box:size=9"}; }, options());
}

TEST_P(Timed, NarrowestSlotsAndChannelsKeepTheOrder) {
  std::string odd;  // every other frame
  for (int i = 1; i < 60; i += 2)
    odd += (i > 1 ? ",f" : "f") + std::to_string(i) + "-f" + std::to_string(i);
  const std::string input = "pattern:16x12@25#60";
  const std::vector<std::string> wide = run_chain(input, {"box:between=" + odd}, options(), true);
  for (const int slots : {1, 2, 16})
    for (const std::size_t capacity : {std::size_t{1}, std::size_t{3}})
      EXPECT_EQ(run_chain(input, {"box:between=" + odd}, options(slots), false, {}, capacity), wide)
          << slots << " slots";
}

// The frame itself is passed on, in its turn among filtered ones.
TEST_P(Timed, FramesLeftOutAreNotCopied) {
  const auto source = open_source("pattern:64x48@10#9", source_options_for(GetParam()));
  const auto processor = processor_for(*source, {"sobel:between=f3-f5"}, options());
  for (int i = 0; std::optional<Item> item = source->next(); ++i) {
    const Frame& frame = std::get<Frame>(*item);
    const std::byte* const at = frame.row(0, 0);
    ASSERT_TRUE(processor->submit(std::move(std::get<Frame>(*item))));
    const std::optional<Frame> out = processor->collect();
    ASSERT_TRUE(out);
    EXPECT_EQ(out->number(), i);
    EXPECT_EQ(out->row(0, 0) == at, i < 3 || i > 5) << "frame " << i;
  }
  EXPECT_EQ(processor->passed_on(), 6);
}

TEST_P(Timed, LinearLightRestsToo) {
  const std::string input = "pattern:35x18:yuv420p10le@10#6";
  const auto source = open_source(input, source_options_for(GetParam()));
  const VideoInfo& video = source->video();
  const LightPlan light = make_light_plan(video, Codes::all, nullptr);
  const auto pictures = [&](const Chain& texts) {
    std::vector<FilterSpec> chain;
    for (const std::string& text : texts) chain.push_back(FilterSpec::parse(text));
    const TimedWork work(chain, video, [&](std::span<const FilterSpec> acting) {
      return make_light_work(acting, *video.format, {}, light);
    });
    const auto from = open_source(input, source_options_for(GetParam()));
    const auto processor = make_processor(work, video.width, video.height, options());
    MemorySink sink;
    run(*from, *processor, sink);
    return sink.pictures;
  };
  const auto before = read_all(input).pictures, always = pictures({"box"});
  const auto now = pictures({"box:between=0.2-0.4"});
  for (std::size_t i = 0; i < now.size(); ++i)
    EXPECT_TRUE(now[i] == (i == 2 || i == 3 ? always : before)[i]) << i;
}

TEST_P(Timed, VerifiesWhatActsAndWhatRests) {
  const auto source = open_source("pattern:40x30@10#10", source_options_for(GetParam()));
  const Chain chain{"gaussian:sigma=1:between=0.2-0.5"};
  const auto processor = processor_for(*source, chain, options());
  Verifier verifier(processor_for(*source, chain, {.variant = find_variant("reference")}), 1);
  MemorySink sink;
  EXPECT_EQ(run(*source, *processor, sink, {.verifier = &verifier}).verified, 10);
}

TEST_P(Timed, ComparesWithoutDrawingOnTheInput) {
  const std::string input = "pattern:64x48@10#8";
  const auto before = read_all(input).pictures;
  for (const auto mode :
       {Comparison::Mode::split, Comparison::Mode::side, Comparison::Mode::flip}) {
    const auto joined = [&](const std::string& filter) {
      const auto source = open_source(input, source_options_for(GetParam()));
      const auto processor =
          make_compare_processor(processor_for(*source, {filter}, options()), source->video(),
                                 {.mode = mode, .seconds = 0.3});
      std::vector<Frame> kept;
      MemorySink sink;
      for (int i = 0; std::optional<Item> item = source->next(); ++i) {
        kept.push_back(std::get<Frame>(*item).share());
        processor->submit(std::move(std::get<Frame>(*item)));
        sink.write(*processor->collect());
        EXPECT_EQ(packed(kept.back()), before[static_cast<std::size_t>(i)]);
      }
      return sink.pictures;
    };
    const auto timed = joined("sobel:between=f2-f5"), acts = joined("sobel"),
               rests = joined("identity");
    for (std::size_t i = 0; i < timed.size(); ++i)
      EXPECT_TRUE(timed[i] == (i >= 2 && i <= 5 ? acts : rests)[i]) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Timed, testing::Values(Device::cpu, Device::cuda),
                         [](const auto& instance) {
                           return instance.param == Device::cpu ? "cpu" : "cuda";
                         });

// Filtered frames are wanted on the device, and these frames are not there.
TEST(TimedOnDevice, FramesInTheOtherMemoryAreCopied) {
  if (!has(Device::cuda)) GTEST_SKIP() << "no CUDA device";
  const std::string input = "pattern:64x48@10#4";
  const auto source = open_source(input, source_options_for(Device::cuda));
  const auto processor = processor_for(*source, {"sobel:between=f2-f2"},
                                       {.device = Device::cuda, .stay_on_device = true});
  while (std::optional<Item> item = source->next()) {
    ASSERT_TRUE(processor->submit(std::move(std::get<Frame>(*item))));
    EXPECT_TRUE(processor->collect()->on_device());
  }
  EXPECT_EQ(processor->passed_on(), 0);
}

TEST(TimedWork, TimesAreTheInputsWhereverItIsStarted) {
  const std::string input = "pattern:32x24@10#40";
  const Chain chain{"sobel:between=2-3"};
  const auto whole = run_chain(input, chain);
  for (const double start : {0.5, 2.0, 2.4, 3.5}) {
    SourceOptions options;
    options.start = start;
    const auto part = run_chain(input, chain, {}, false, options);
    const auto skipped = std::lround(start * 10);
    EXPECT_EQ(part, std::vector(whole.begin() + skipped, whole.end())) << start;
    const auto counted = run_chain(input, {"sobel:between=f20-f29"}, {}, false, options);
    EXPECT_EQ(part, counted) << start;
  }
}

TEST(TimedWork, CasesAreTheSetsThatActAndSharePlans) {
  const auto source = open_source("pattern:32x24@10#1", {});
  const VideoInfo& video = source->video();
  std::vector<FilterSpec> chain;
  for (const char* text : {"box:between=0-10,20-30", "box:size=5:between=5-25", "box:size=5"})
    chain.push_back(FilterSpec::parse(text));
  const auto make = [&](std::span<const FilterSpec> acting) {
    return make_work(acting, *video.format, {}, {});
  };
  const TimedWork all(chain, video, make);
  EXPECT_FALSE(all.leaves_out());
  EXPECT_EQ(all.cases().size(), 4u);
  int made = 0;
  const CaseConvolvers convolvers(all, {}, [&](const Prepared& prepared) {
    ++made;
    return prepared(1);
  });
  EXPECT_EQ(made, 4);  // two boxes, on luma and on chroma
  chain.pop_back();
  const TimedWork some(chain, video, make);
  EXPECT_TRUE(some.leaves_out());
  EXPECT_EQ(some.cases().size(), 4u);
}

TEST(TimedWork, ValuesAreFewAndSharePlans) {
  const VideoInfo video = open_source("pattern:32x24:gray@10#1", {})->video();
  const auto timed = [&](const Chain& texts) {
    std::vector<FilterSpec> chain;
    for (const std::string& text : texts) chain.push_back(FilterSpec::parse(text));
    return TimedWork(chain, video, [&](std::span<const FilterSpec> acting) {
      return make_work(acting, *video.format, {}, {});
    });
  };
  const TimedWork one = timed({"gaussian:sigma=0..8@10-20"});
  EXPECT_EQ(one.cases().size(), 257u);  // with the case of sigma 0, which changes nothing
  EXPECT_TRUE(one.leaves_out());
  // The other filter beside it is the same in all of its cases.
  const TimedWork two = timed({"gaussian:sigma=1..8@10-20", "sobel"});
  int made = 0;
  const CaseConvolvers convolvers(two, {}, [&](const Prepared& prepared) {
    ++made;
    return prepared(1);
  });
  EXPECT_EQ(made, 258);
  expect_error(Fault::usage, {"gaussian", "more than 4096", "change fewer"}, [&] {
    timed({"gaussian:sigma=1..8@f0-f9999", "sharpen:amount=1..2@10-20"});
  });
}

TEST(TimedWork, NumbersOfFramesNeedTheBeginning) {
  VideoInfo video = open_source("pattern:32x24@10#1", {})->video();
  video.clock.frames_before.reset();
  const FilterSpec chain[] = {FilterSpec::parse("box:between=f3-")};
  const auto make = [&](std::span<const FilterSpec> acting) {
    return make_work(acting, *video.format, {}, {});
  };
  expect_error(Fault::usage, {"cannot count frames", "`start`", "give times"},
               [&] { TimedWork(chain, video, make); });
  const FilterSpec by_time[] = {FilterSpec::parse("box:between=3-")};
  EXPECT_NO_THROW(TimedWork(by_time, video, make));
}

TEST(TimedWork, PicturesHaveNoTime) {
  const FilterSpec chain[] = {FilterSpec::parse("box:between=1-2")};
  expect_error(Fault::usage, {"box:between=1-2", "leave out between="},
               [&] { make_work(chain, formats().front(), {}, {}); });
}

}  // namespace
}  // namespace vidconv::test
