#include "pipeline/work/work.h"

#include <gtest/gtest.h>

#include <map>

#include "pipeline/av/frame.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using Kind = Component::Kind;
using test::expect_error;

Work work_of(const std::vector<std::string>& chain, const PixelFormat& format,
             const PlaneSelection& planes = {}) {
  std::vector<FilterSpec> specs;
  for (const std::string& text : chain) specs.push_back(FilterSpec::parse(text));
  return make_work(specs, format, planes, {});
}

// The rules of the manual, written once more in the plainest way.
Action expected(Purpose purpose, Kind kind) {
  if (kind == Kind::alpha || kind == Kind::padding) return Action::copy;
  if (kind != Kind::chroma || purpose == Purpose::blur) return Action::filter;
  return purpose == Purpose::sharpen ? Action::copy : Action::fill;
}

TEST(Work, PlanesByPurposeInEveryFormat) {
  const std::map<std::string, Purpose> filters{
      {"gaussian:sigma=1", Purpose::blur}, {"sharpen", Purpose::sharpen}, {"sobel", Purpose::edge}};
  for (const PixelFormat& format : formats())
    for (const auto& [text, purpose] : filters) {
      SCOPED_TRACE(format.name + " " + text);
      const Work work = work_of({text}, format);
      ASSERT_EQ(work.links.size(), 1u);
      for (std::size_t i = 0; i < format.components.size(); ++i)
        EXPECT_EQ(work.links[0].actions[i], expected(purpose, format.components[i].kind));
    }
}

TEST(Work, OnlyFilteredColoursOfTheOutputAreLimited) {
  const FilterSpec chain[] = {FilterSpec::parse("box:size=3"), FilterSpec::parse("box:size=5")};
  for (const PixelFormat& format : formats()) {
    SCOPED_TRACE(format.name);
    const Work work = make_work(chain, format, {PlaneSelection::Mode::all, {}}, {}, Codes::limited);
    for (const Step& step : work.steps)
      for (const std::size_t c : step.components) {
        const Component& component = format.components[c];
        const bool limited = step.to == Place::output && component.kind != Kind::alpha &&
                             component.kind != Kind::padding &&
                             component.sample.storage != Storage::f32;
        EXPECT_EQ(step.plan.finish.min > 0, limited);
      }
  }
}

// One launch on a device takes all planes where their plans are the same.
TEST(Work, OverTimePlanesAreFilteredTogether) {
  const auto steps = [](const char* text, AVPixelFormat format, Codes codes = Codes::all) {
    const FilterSpec chain[] = {FilterSpec::parse(text)};
    return make_work(chain, *find_format(format), {}, {}, codes).steps.size();
  };
  EXPECT_EQ(steps("time-box:size=3", AV_PIX_FMT_YUV420P), 1u);
  EXPECT_EQ(steps("time:-1 0 1:abs=1:planes=all", AV_PIX_FMT_NV12), 1u);
  EXPECT_EQ(steps("volume:1 1|1 1:scale=auto", AV_PIX_FMT_YUV422P10), 1u);
  // Chroma's neutral code and limits count here; packed rows belong to several steps.
  EXPECT_EQ(steps("time-box:size=3:border=zero", AV_PIX_FMT_YUV420P), 2u);
  EXPECT_EQ(steps("time-box:size=3", AV_PIX_FMT_YUV420P, Codes::limited), 2u);
  EXPECT_GT(steps("time-box:size=3", AV_PIX_FMT_YUYV422), 1u);
  EXPECT_EQ(steps("time-box:size=3:region=0,0,8,8", AV_PIX_FMT_YUV420P), 2u);
}

TEST(Work, EveryComponentReachesTheOutputOnce) {
  const std::vector<std::vector<std::string>> chains{
      {}, {"sobel"}, {"gaussian:sigma=1", "sobel"}, {"sharpen", "box:size=3", "sobel", "sharpen"}};
  for (const PixelFormat& format : formats())
    for (const auto& chain : chains) {
      SCOPED_TRACE(format.name);
      const Work work = work_of(chain, format);
      std::map<std::size_t, int> written;
      std::map<std::size_t, Place> at;  // where each component is
      for (const Step& step : work.steps)
        for (const std::size_t c : step.components) {
          EXPECT_EQ(step.from, at.contains(c) ? at[c] : Place::input);
          EXPECT_NE(step.from, step.to);
          at[c] = step.to;
          if (step.to == Place::output) ++written[c];
          EXPECT_EQ(step.plan.sample, format.components[c].sample);
        }
      EXPECT_EQ(written.size(), format.components.size());
      for (const auto& [c, times] : written) EXPECT_EQ(times, 1) << c;
    }
}

TEST(Work, EqualChromaPlanesShareAStep) {
  const Work work = work_of({"gaussian:sigma=2"}, *find_format(AV_PIX_FMT_YUV420P));
  ASSERT_EQ(work.steps.size(), 2u);
  EXPECT_EQ(work.steps[0].components, (std::vector<std::size_t>{0}));
  EXPECT_EQ(work.steps[1].components, (std::vector<std::size_t>{1, 2}));
}

TEST(Work, RgbIsOneStep) {
  const Work work = work_of({"sobel"}, *find_format(AV_PIX_FMT_GBRP));
  ASSERT_EQ(work.steps.size(), 1u);
  EXPECT_EQ(work.steps[0].components.size(), 3u);
}

TEST(Work, NothingToFilterIsOneCopy) {
  const Work work = work_of({}, *find_format(AV_PIX_FMT_YUVA420P));
  ASSERT_EQ(work.steps.size(), 1u);
  EXPECT_TRUE(work.steps[0].plan.is_copy());
  EXPECT_EQ(work.scratch_frames(), 0);
}

TEST(Work, WhatAFillHidesIsLeftOut) {
  const Work work = work_of({"gaussian:sigma=2", "sobel"}, *find_format(AV_PIX_FMT_YUV420P));
  for (const Step& step : work.steps)
    if (step.components[0] == 1) {
      EXPECT_EQ(step.action, Action::fill);
    }
  EXPECT_EQ(work.steps.size(), 3u);  // two on luma, one on chroma
  EXPECT_EQ(work.scratch_frames(), 1);
}

TEST(Work, SubsampledPlanesGetSmallerFilters) {
  const Work work = work_of({"gaussian:sigma=2"}, *find_format(AV_PIX_FMT_YUV422P));
  const Taps &luma = work.steps[0].plan.terms[0], &chroma = work.steps[1].plan.terms[0];
  EXPECT_EQ(luma.width, 13);
  EXPECT_LT(chroma.width, luma.width);
  EXPECT_EQ(chroma.height, luma.height);
}

TEST(Planes, SelectionOverridesPurpose) {
  const PixelFormat& format = *find_format(AV_PIX_FMT_YUVA420P);
  const auto actions = [&](const char* planes) {
    return work_of({"sobel"}, format, PlaneSelection::parse(planes)).links[0].actions;
  };
  constexpr Action f = Action::filter, c = Action::copy;
  EXPECT_EQ(actions("all"), (std::vector{f, f, f, f}));
  EXPECT_EQ(actions("luma"), (std::vector{f, c, c, c}));
  EXPECT_EQ(actions("chroma"), (std::vector{c, f, f, c}));
  EXPECT_EQ(actions("y,a"), (std::vector{f, c, c, f}));
  EXPECT_EQ(actions("UV"), (std::vector{c, f, f, c}));
}

// Each filter of a chain has planes; the command's are for filters without their own.
TEST(Planes, FiltersBringTheirOwn) {
  const PixelFormat& format = *find_format(AV_PIX_FMT_YUV420P);
  const Work work = work_of({"gaussian:planes=luma", "box:size=5:planes=chroma", "sharpen"}, format,
                            PlaneSelection::parse("v"));
  constexpr Action f = Action::filter, c = Action::copy;
  EXPECT_EQ(work.links[0].actions, (std::vector{f, c, c}));
  EXPECT_EQ(work.links[1].actions, (std::vector{c, f, f}));
  EXPECT_EQ(work.links[2].actions, (std::vector{c, c, f}));
}

TEST(Planes, WhatIsNotThereIsRefused) {
  const PixelFormat &rgb = *find_format(AV_PIX_FMT_GBRP), &grey = *find_format(AV_PIX_FMT_GRAY8);
  expect_error(Fault::usage, {"luma", "gbrp", "RGB"},
               [&] { work_of({"sobel"}, rgb, PlaneSelection::parse("luma")); });
  expect_error(Fault::usage, {"chroma", "gray"},
               [&] { work_of({"sobel"}, grey, PlaneSelection::parse("chroma")); });
  expect_error(Fault::usage, {"'A'"},
               [&] { work_of({"sobel"}, rgb, PlaneSelection::parse("ra")); });
  expect_error(Fault::usage, {"luma", "gbrp"}, [&] { work_of({"box:planes=luma"}, rgb); });
  EXPECT_THROW(PlaneSelection::parse("yq"), std::invalid_argument);
  EXPECT_THROW(PlaneSelection::parse(""), std::invalid_argument);
}

// Edges are grey: chroma becomes the neutral code whatever it was, and alpha stays.
TEST(Work, EdgesAreGreyAndAlphaStays) {
  for (const char* name : {"yuva420p", "yuv420p10le", "nv12", "p010le"}) {
    SCOPED_TRACE(name);
    const auto source = open_source(std::string("pattern:33x17:") + name + "#1", {});
    const auto processor = test::processor_for(*source, {"sobel"});
    const Frame before = std::get<Frame>(*source->next());
    processor->submit(before.share());
    const Frame after = *processor->collect();
    for (std::size_t i = 1; i < after.format().components.size(); ++i) {
      const Component& c = after.format().components[i];
      const auto sample = [&](const Frame& frame, int x, int y) {
        const ConstBytePlane p = frame.component(i);
        if (c.sample.bytes() == 1) return int{p.as<const std::uint8_t>().row(y)[x * p.step]};
        return p.as<const std::uint16_t>().row(y)[x * p.step] >> c.sample.shift;
      };
      const ConstBytePlane plane = after.component(i);
      for (int y = 0; y < plane.height; ++y)
        for (int x = 0; x < plane.width; ++x)
          ASSERT_EQ(sample(after, x, y),
                    c.kind == Kind::alpha ? sample(before, x, y) : c.sample.neutral());
    }
  }
}

}  // namespace
}  // namespace vidconv
