// Boxes move from frame to frame.
#include "pipeline/region/boxes.h"

#include <gtest/gtest.h>

#include "pipeline/region/box_areas.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::expect_error;
using Rects = std::vector<Rect>;

// Ten frames of a tenth of a second each.
const std::vector<Frame>& ten_frames() {
  static const std::vector<Frame> frames = [] {
    const auto source = open_source("pattern:64x48:gray@10#10", {});
    std::vector<Frame> all;
    while (auto item = source->next()) all.push_back(std::move(std::get<Frame>(*item)));
    return all;
  }();
  return frames;
}

Rects boxes_on(Boxes& boxes, std::size_t frame, std::size_t filter = 0,
               const Orientation& shown = {}, const InputClock& clock = {}) {
  const VideoInfo video = open_source("pattern:64x48:gray@10#10", {})->video();
  std::vector<PlacedBox> placed;
  boxes.on(ten_frames()[frame], {video.time_base, clock}, filter, shown, true, placed);
  Rects rects;
  for (const PlacedBox& box : placed) rects.push_back(box.rect);
  return rects;
}

BoxLine box_at_frame(std::int64_t frame, const char* id, double x, double y, double w, double h) {
  return {.at = static_cast<double>(frame),
          .id = id,
          .x = x,
          .y = y,
          .width = w,
          .height = h,
          .line = static_cast<int>(frame) + 1};
}

BoxLine at_time(double time, const char* id, double x) {
  return {.at = time, .id = id, .x = x, .width = 8, .height = 8, .line = 1, .by_time = true};
}

TEST(Boxes, MoveInStraightLinesBetweenLinesOfOneId) {
  Boxes boxes({box_at_frame(6, "a", 24, 8, 8, 16), box_at_frame(2, "a", 8, 8, 8, 8),
               box_at_frame(4, "", 1, 1, 1, 1)},
              {});
  EXPECT_EQ(boxes_on(boxes, 1), Rects{});
  EXPECT_EQ(boxes_on(boxes, 2), (Rects{{8, 8, 8, 8}}));
  EXPECT_EQ(boxes_on(boxes, 3), (Rects{{12, 8, 8, 10}}));
  EXPECT_EQ(boxes_on(boxes, 4), (Rects{{16, 8, 8, 12}, {1, 1, 1, 1}}));
  EXPECT_EQ(boxes_on(boxes, 6), (Rects{{24, 8, 8, 16}}));
  EXPECT_EQ(boxes_on(boxes, 7), Rects{});
}

TEST(Boxes, ReachWholePixelsAndGrow) {
  Boxes boxes({box_at_frame(0, "", 10.5, 10.25, 4, 4)}, {.grow = 0.25});
  EXPECT_EQ(boxes_on(boxes, 0), (Rects{{9, 9, 7, 7}}));  // 9.5 to 15.5, 9.25 to 15.25
}

TEST(Boxes, AreHeldBeforeTheFirstLineOfAnIdAndAfterTheLast) {
  const std::vector<BoxLine> lines{box_at_frame(3, "a", 10, 8, 8, 8),
                                   box_at_frame(5, "a", 20, 8, 8, 8)};
  const Rect first{10, 8, 8, 8}, last{20, 8, 8, 8};
  Boxes held(lines, {.hold = {2, false}});
  EXPECT_EQ(boxes_on(held, 0), Rects{});
  EXPECT_EQ(boxes_on(held, 1), Rects{first});
  EXPECT_EQ(boxes_on(held, 4), (Rects{{15, 8, 8, 8}}));
  EXPECT_EQ(boxes_on(held, 7), Rects{last});
  EXPECT_EQ(boxes_on(held, 8), Rects{});
  // A frame lasts a tenth of a second; a part of one counts as a whole one.
  Boxes seconds(lines, {.hold = {0.15, true}});
  EXPECT_EQ(boxes_on(seconds, 0), Rects{});
  EXPECT_EQ(boxes_on(seconds, 1), Rects{first});
  EXPECT_EQ(boxes_on(seconds, 7), Rects{last});
  // Lines by time.
  Boxes timed({at_time(0.3, "a", 10), at_time(0.5, "a", 20)}, {.hold = {0.2, true}});
  EXPECT_EQ(boxes_on(timed, 0), Rects{});
  EXPECT_EQ(boxes_on(timed, 1).size(), 1u);
  EXPECT_EQ(boxes_on(timed, 7).size(), 1u);
  EXPECT_EQ(boxes_on(timed, 8), Rects{});
  // A box beyond the clip is applied where it is held.
  Boxes beyond({box_at_frame(11, "a", 1, 1, 2, 2)}, {.hold = {2, false}});
  for (std::size_t i = 0; i < 10; ++i) boxes_on(beyond, i);
  beyond.check(true);
}

TEST(Boxes, GrowInTimeAroundAllTheirPlaces) {
  const std::vector<BoxLine> lines{box_at_frame(2, "a", 0, 8, 8, 8),
                                   box_at_frame(4, "a", 20, 8, 8, 8),
                                   box_at_frame(6, "a", 0, 20, 8, 8)};
  Boxes boxes(lines, {.grow_time = {1, false}});
  EXPECT_EQ(boxes_on(boxes, 0), Rects{});
  EXPECT_EQ(boxes_on(boxes, 1), (Rects{{0, 8, 8, 8}}));
  EXPECT_EQ(boxes_on(boxes, 2), (Rects{{0, 8, 18, 8}}));
  EXPECT_EQ(boxes_on(boxes, 4), (Rects{{10, 8, 18, 14}}));  // the line between is the farthest
  EXPECT_EQ(boxes_on(boxes, 7), (Rects{{0, 20, 8, 8}}));
  EXPECT_EQ(boxes_on(boxes, 8), Rects{});
  // Longer than the track is.
  Boxes long_ones(lines, {.grow_time = {0.9, true}});
  EXPECT_EQ(boxes_on(long_ones, 5), (Rects{{0, 8, 28, 20}}));
}

TEST(Boxes, OfAnIdAreNotTwiceAtOneTime) {
  expect_error(Fault::usage, {"line 3", "id a has a box at that frame already, in line 3"}, [] {
    Boxes({box_at_frame(2, "a", 1, 1, 2, 2), box_at_frame(2, "a", 3, 3, 2, 2)}, {});
  });
  Boxes other_ids({box_at_frame(2, "a", 1, 1, 2, 2), box_at_frame(2, "b", 1, 1, 2, 2)}, {});
}

TEST(Boxes, WithoutAFilterAreTheDefaultOnes) {
  BoxLine first = box_at_frame(0, "", 1, 1, 2, 2);
  first.filter = 1;
  Boxes boxes({first, box_at_frame(0, "", 5, 5, 2, 2)}, {.filter = 2});
  EXPECT_EQ(boxes_on(boxes, 0, 0), (Rects{{1, 1, 2, 2}}));
  EXPECT_EQ(boxes_on(boxes, 0, 1), (Rects{{5, 5, 2, 2}}));
}

TEST(Boxes, AtATimeAreOnTheFrameThatIsSeen) {
  Boxes boxes({at_time(0.25, "", 1), at_time(0.5, "a", 10), at_time(0.7, "a", 20)}, {});
  EXPECT_EQ(boxes_on(boxes, 1), Rects{});
  EXPECT_EQ(boxes_on(boxes, 2), (Rects{{1, 0, 8, 8}}));
  EXPECT_EQ(boxes_on(boxes, 5)[0].x, 10);
  EXPECT_EQ(boxes_on(boxes, 6)[0].x, 15);
  EXPECT_EQ(boxes_on(boxes, 8), Rects{});
  // These boxes are for a range that begins there.
  Boxes later({at_time(100.25, "", 1)}, {});
  const InputClock begins_later{.offset = 0, .start = -100'000'000, .frames_before = 1000};
  EXPECT_EQ(boxes_on(later, 2, 0, {}, begins_later), (Rects{{1, 0, 8, 8}}));
  Boxes numbered({box_at_frame(1002, "", 1, 1, 1, 1)}, {});
  EXPECT_EQ(boxes_on(numbered, 2, 0, {}, begins_later), (Rects{{1, 1, 1, 1}}));
}

TEST(Boxes, AreSomeFiltersOwn) {
  BoxLine second = box_at_frame(0, "", 1, 1, 2, 2);
  second.filter = 2;
  Boxes boxes({second, box_at_frame(0, "", 5, 5, 2, 2)}, {});
  EXPECT_EQ(boxes_on(boxes, 0, 0), (Rects{{5, 5, 2, 2}}));
  EXPECT_EQ(boxes_on(boxes, 0, 1), (Rects{{1, 1, 2, 2}, {5, 5, 2, 2}}));
  EXPECT_EQ(boxes.last_filter().filter, 2);
}

TEST(Boxes, AreOfWhatIsSeen) {
  Boxes boxes({box_at_frame(0, "", 2, 3, 4, 5)}, {});
  EXPECT_EQ(boxes_on(boxes, 0, 0, {-1, 0, 0, -1}), (Rects{{64 - 6, 48 - 8, 4, 5}}));
}

TEST(Boxes, ThatWereNotAppliedAreAFailure) {
  const auto check = [](std::vector<BoxLine> lines, std::size_t frames, bool whole) {
    Boxes boxes(std::move(lines), {.file = "faces.jsonl"});
    for (std::size_t i = 0; i < frames; ++i) boxes_on(boxes, i);
    boxes.check(whole);
  };
  check({box_at_frame(9, "", 1, 1, 2, 2)}, 10, true);
  check({box_at_frame(9, "", 60, 40, 20, 20)}, 10, true);  // a corner of it is inside
  expect_error(Fault::usage, {"faces.jsonl", "1 of 2", "line 11", "no frame 10"}, [&] {
    check({box_at_frame(9, "", 1, 1, 2, 2), box_at_frame(10, "", 1, 1, 2, 2)}, 10, true);
  });
  expect_error(Fault::usage, {"line 4", "outside the picture", "64x48"},
               [&] { check({box_at_frame(3, "", 64, 0, 9, 9)}, 10, true); });
  expect_error(Fault::usage, {"no frame at 1.5 s"},
               [&] { check({at_time(1.5, "", 0)}, 10, true); });
  // If a range was read, only boxes within it have to be applied.
  check({box_at_frame(9, "", 1, 1, 2, 2)}, 5, false);
  expect_error(Fault::usage, {"outside the picture"},
               [&] { check({box_at_frame(3, "", 64, 0, 9, 9)}, 5, false); });
}

TEST(Boxes, AreAccountedFor) {
  Boxes boxes({box_at_frame(2, "a", 8, 8, 8, 8), box_at_frame(5, "a", 8, 8, 8, 8),
               box_at_frame(7, "", 1, 1, 1, 1)},
              {});
  for (std::size_t i = 0; i < 10; ++i) boxes_on(boxes, i), boxes_on(boxes, i);
  const std::vector<BoxAccount> accounts = boxes.accounts();
  ASSERT_EQ(accounts.size(), 2u);
  EXPECT_EQ(accounts[0].id, "a");
  EXPECT_EQ(accounts[0].lines, 2u);
  EXPECT_EQ(accounts[0].frames, 4);
  EXPECT_EQ(accounts[0].first, 2);
  EXPECT_EQ(accounts[0].last, 5);
  EXPECT_EQ(accounts[1].frames, 1);
}

// Filters all frames of an input by a chain of filters in boxes, several frames in flight, on any
// device.
std::vector<std::string> filtered_in_boxes(const std::string& input,
                                           const std::vector<std::string>& chain,
                                           const std::shared_ptr<Boxes>& boxes,
                                           const ProcessorOptions& options) {
  const auto source = open_source(input, test::source_options_for(options.device));
  const VideoInfo& video = source->video();
  std::vector<FilterSpec> specs;
  for (const std::string& text : chain)
    specs.push_back(FilterSpec::parse(text).in_boxes(specs.size()));
  const TimedWork work(specs, video, [&](std::span<const FilterSpec> acting) {
    Work one = make_work(acting, *video.format, {}, {});
    one.boxes = boxes;
    one.clock = {video.time_base, video.clock};
    return one;
  });
  const auto processor = make_processor(work, video.width, video.height, options);
  test::MemorySink sink;
  run(*source, *processor, sink);
  return sink.pictures;
}

// Each frame has boxes of its own, or none, while others are still on their way. Values also change
// over time.
TEST(Boxes, SameBytesOnEveryDevice) {
  std::vector<BoxLine> lines{box_at_frame(1, "a", 3, 5, 40, 30),
                             box_at_frame(9, "a", 90, 40, 9, 50),
                             box_at_frame(4, "b", 60, 50, 50, 40), box_at_frame(7, "b", 0, 0, 9, 9),
                             box_at_frame(10, "", -5, 70, 200, 300)};
  lines[2].ellipse = lines[3].ellipse = true;
  const std::vector<std::string> chain{"gaussian:sigma=1..3@f3-f6", "sharpen:between=f2-f8"};
  for (const std::string input : {"pattern:131x97#12", "pattern:131x97:p010le#12"})
    for (const BoxOptions& shapes :
         {BoxOptions{}, BoxOptions{.feather = 5}, BoxOptions{.ellipse = true, .feather = 2}})
      for (const Scan scan : {Scan::progressive, Scan::interlaced}) {
        SCOPED_TRACE(input + (scan == Scan::interlaced ? " by field" : ""));
        const auto filtered = [&](ProcessorOptions options) {
          options.scan = scan;
          const auto boxes = std::make_shared<Boxes>(lines, shapes);
          auto pictures = filtered_in_boxes(input, chain, boxes, options);
          if (!options.whole_planes) {
            boxes->check(true);
            EXPECT_EQ(boxes->accounts()[0].frames, 9);
          }
          return pictures;
        };
        const auto wanted =
            filtered({.second_opinion = true, .whole_planes = true});  // windows are whole planes
        for (const Device device : test::all_devices())
          EXPECT_TRUE(filtered({.device = device, .slots = 4}) == wanted);
        if (test::has(Device::cuda)) {
          EXPECT_TRUE(filtered({.device = Device::cuda, .slots = 1}) == wanted);
        }
      }
}

// Weights computed area by area are those computed for the whole picture.
TEST(Boxes, WeightsOfAreasAreThoseOfThePicture) {
  const std::vector<PlacedBox> boxes{{{3, 5, 20, 11}, true},
                                     {{15, 12, 9, 9}, false},
                                     {{-4, 40, 12, 30}, true},
                                     {{60, 1, 3, 3}, false}};
  for (const int feather : {0, 3, 9}) {
    const Weights all = weights_of(boxes, {0, 0, 64, 48}, feather, 64, 48);
    Weights joined(64, 48);
    std::size_t pixels = 0;
    for (const Rect& area : areas_of(boxes, feather, 64, 48)) {
      const Weights weights = weights_of(boxes, area, feather, 64, 48);
      for (int y = 0; y < area.height; ++y)
        for (int x = 0; x < area.width; ++x)
          joined.fill({area.x + x, area.y + y, 1, 1}, weights.row(y)[x]);
      pixels += weights.bytes();
    }
    for (int y = 0; y < 48; ++y)
      for (int x = 0; x < 64; ++x) ASSERT_EQ(joined.row(y)[x], all.row(y)[x]) << x << "," << y;
    EXPECT_LT(pixels, all.bytes());
  }
}

TEST(Boxes, EllipsesHoldPixelsWhoseMiddleIsInside) {
  const Weights weights =
      weights_of(std::vector<PlacedBox>{{{0, 0, 4, 4}, true}}, {0, 0, 4, 4}, 0, 4, 4);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) EXPECT_EQ(weights.row(y)[x], (x % 3 == 0 && y % 3 == 0) ? 0 : 255);
}

}  // namespace
}  // namespace vidconv
