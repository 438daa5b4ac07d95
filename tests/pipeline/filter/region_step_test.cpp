// Filters of a region give there what filtering all on the CPU gives, and leave the rest as it was,
// on every device.
#include "pipeline/filter/region_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <tuple>

#include "kernels/variants/variants.h"
#include "pipeline/filter/picture_filter.h"
#include "pipeline/work/light.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::expect_error;

Frame first_frame(const std::string& input) {
  return std::get<Frame>(*open_source(input, {})->next());
}

Frame filtered_by(const Frame& frame, const std::vector<FilterSpec>& chain, Border border,
                  ProcessorOptions options = {}) {
  const auto processor = make_processor(make_work(chain, frame.format(), {}, border), frame.width(),
                                        frame.height(), options);
  processor->submit(frame.share());
  return std::move(*processor->collect());
}

// Returns a copy in memory that may be written.
Frame copy_of(const Frame& frame) {
  FramePool pool(aligned_layout(frame.format(), frame.width(), frame.height()), plain_memory);
  FramePtr av = pool.get();
  copy_properties(frame.av(), *av);
  check_av(av_frame_copy(av.get(), &frame.av()), Fault::internal, "cannot copy a frame");
  return {std::move(av), frame};
}

class RegionStep : public testing::TestWithParam<Device> {
 protected:
  void SetUp() override {
    if (!test::has(GetParam())) GTEST_SKIP() << "no such device";
  }

  // Filters on the device under test.
  static Frame placed(const Frame& frame, const std::vector<FilterSpec>& chain, Border border,
                      ProcessorOptions options = {}) {
    options.device = GetParam();
    return filtered_by(frame, chain, border, options);
  }
};

// The rule of the manual in the plainest way: a sample belongs to the region if one of the pixels
// that it stands for does. In a field these are pixels of that field.
bool is_inside(const Component& c, int x, int y, bool by_field, const Frame& frame,
               const std::vector<Rect>& part) {
  const int field = y % 2, row = y / 2;
  for (int j = 0; j < c.subsampling.y; ++j)
    for (int i = 0; i < c.subsampling.x; ++i) {
      const int px = x * c.subsampling.x + i;
      const int py = by_field ? 2 * (row * c.subsampling.y + j) + field : y * c.subsampling.y + j;
      if (px >= frame.width() || py >= frame.height()) continue;
      for (const Rect& r : part)
        if (px >= r.x && px < r.right() && py >= r.y && py < r.bottom()) return true;
    }
  return false;
}

// Returns `before` with the samples of `after` that are inside.
Frame merged(const Frame& before, const Frame& after, const std::vector<Rect>& part,
             bool by_field) {
  Frame result = copy_of(before);
  for (std::size_t i = 0; i < before.format().components.size(); ++i) {
    const Component& c = before.format().components[i];
    const BytePlane to = result.component(i);
    const auto bytes = static_cast<std::size_t>(c.sample.bytes());
    for (int y = 0; y < to.height; ++y)
      for (int x = 0; x < to.width; ++x) {
        const Rect sample{x, y, 1, 1};
        const Frame& from = is_inside(c, x, y, by_field, before, part) ? after : before;
        std::memcpy(part_of(to, sample, c.sample.bytes()).data,
                    part_of(from.component(i), sample, c.sample.bytes()).data, bytes);
      }
  }
  return result;
}

struct PartCase {
  std::string filter, place;
  std::vector<Rect> part;  // region of 37x29 pixels
};

const std::vector<PartCase> some_cases{
    {"gaussian:sigma=2", "region=5,3,10,9", {{5, 3, 10, 9}}},
    {"gaussian:sigma=7", "region=0,0,37,29", {{0, 0, 37, 29}}},
    {"sobel", "region=36,28,1,1", {{36, 28, 1, 1}}},
    {"sharpen", "region=1,1,3,3;2,2,5,1;30,0,7,29", {{1, 1, 3, 3}, {2, 2, 5, 1}, {30, 0, 7, 29}}},
    {"box:size=5:planes=all", "region=50%,50%,50%,50%", {{19, 15, 18, 14}}},
    {"box:size=5",
     "region=5,3,10,9:invert=1",
     {{0, 0, 37, 3}, {0, 3, 5, 9}, {15, 3, 22, 9}, {0, 12, 37, 17}}},
};

TEST_P(RegionStep, InsideAsAllFilteredOutsideAsItWas) {
  for (const std::string format : {"yuv420p", "nv12", "yuv422p10le", "yuva444p", "rgb24",
                                   "gbrpf32le", "p010le", "yuv410p", "gray16le"})
    for (const PartCase& c : some_cases)
      for (const BorderName& border : border_modes)
        for (const Scan scan : {Scan::progressive, Scan::interlaced}) {
          SCOPED_TRACE(format + " " + c.filter + ":" + c.place + " " + std::string(border.name));
          const Border mode{.mode = border.mode, .value = 0.2};
          ProcessorOptions options{.scan = scan};
          const Frame frame = first_frame("pattern:37x29:" + format + "#1");
          const Frame all = filtered_by(frame, {FilterSpec::parse(c.filter)}, mode, options);
          const FilterSpec here = FilterSpec::parse(c.filter + ":" + c.place);
          const std::string expected =
              test::packed(merged(frame, all, c.part, scan == Scan::interlaced));
          ASSERT_TRUE(test::packed(placed(frame, {here}, mode, options)) == expected);
          options.threads = 3;
          options.second_opinion = options.whole_planes = true;
          ASSERT_TRUE(test::packed(placed(frame, {here}, mode, options)) == expected);
        }
}

// A mask in a file of its own.
class Mask {
 public:
  Mask(int width, int height, unsigned seed) : width_(width), height_(height) {
    std::mt19937 random(seed);
    for (int i = 0; i < width * height; ++i) {
      const unsigned n = random() % 512;  // often black, often white
      levels_ += static_cast<char>(n < 128 ? 0 : n > 383 ? 255 : n - 128);
    }
    std::ofstream(path(), std::ios::binary) << "P5\n"
                                            << width << " " << height << "\n255\n"
                                            << levels_;
  }
  std::string path() const { return folder_ / "mask.pgm"; }
  int at(int x, int y) const {
    return static_cast<unsigned char>(levels_[static_cast<std::size_t>(y * width_ + x)]);
  }
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  test::TempDir folder_;
  int width_, height_;
  std::string levels_;
};

// Returns the code of a sample, or its value.
double code_of(const Frame& frame, std::size_t component, int x, int y) {
  const SampleType& sample = frame.format().components[component].sample;
  const ConstBytePlane at = part_of(frame.component(component), {x, y, 1, 1}, sample.bytes());
  if (sample.storage == Storage::f32) return static_cast<double>(*at.as<const float>().data);
  if (sample.storage == Storage::u8) return *at.as<const std::uint8_t>().data;
  return *at.as<const std::uint16_t>().data >> sample.shift;
}

double mixed(double was, double filtered, int weight, bool is_float) {
  if (is_float) {
    const auto a = static_cast<float>(was), b = static_cast<float>(filtered);
    if (weight == 0 || weight == 255) return static_cast<double>(weight == 0 ? a : b);
    const float part = (b - a) * (static_cast<float>(weight) / 255.0F);
    return static_cast<double>(a + part);
  }
  return std::floor((was * (255 - weight) + filtered * weight) / 255 + 0.5);
}

// Returns the largest value of the pixels that a sample stands for.
int most_of(const Mask& mask, const Component& c, int x, int y, bool by_field, const Frame& frame) {
  int most = 0;
  for (int py = 0; py < mask.height(); ++py)
    for (int px = x * c.subsampling.x; px < std::min((x + 1) * c.subsampling.x, mask.width()); ++px)
      if (is_inside(c, x, y, by_field, frame, {{px, py, 1, 1}}))
        most = std::max(most, mask.at(px, py));
  return most;
}

// Checks by the rules of docs/numerics.md in double.
void expect_blended(const Frame& before, const Frame& all, const Frame& result, const Mask& mask,
                    bool by_field) {
  for (std::size_t i = 0; i < before.format().components.size(); ++i) {
    const Component& c = before.format().components[i];
    const ConstBytePlane plane = before.component(i);
    for (int y = 0; y < plane.height; ++y)
      for (int x = 0; x < plane.width; ++x) {
        const int weight = most_of(mask, c, x, y, by_field, before);
        const double was = code_of(before, i, x, y), filtered = code_of(all, i, x, y);
        ASSERT_EQ(code_of(result, i, x, y),
                  mixed(was, filtered, weight, c.sample.storage == Storage::f32))
            << c.name << " at " << x << "," << y << ", weight " << weight;
      }
  }
}

TEST_P(RegionStep, MasksAreWeights) {
  const Mask mask(37, 29, 1);
  for (const std::string format :
       {"yuv420p", "nv12", "yuv422p10le", "rgb24", "gbrpf32le", "p010le", "gray16le", "yuv410p"})
    for (const Scan scan : {Scan::progressive, Scan::interlaced}) {
      SCOPED_TRACE(format);
      ProcessorOptions options{.scan = scan};
      const Frame frame = first_frame("pattern:37x29:" + format + "#1");
      const Frame all = filtered_by(frame, {FilterSpec::parse("box:size=9")}, {}, options);
      const FilterSpec masked = FilterSpec::parse("box:mask=" + mask.path() + ":size=9");
      const Frame result = placed(frame, {masked}, {}, options);
      expect_blended(frame, all, result, mask, scan == Scan::interlaced);
      if (HasFatalFailure()) return;
      options.threads = 3;
      options.second_opinion = options.whole_planes = true;
      EXPECT_TRUE(test::packed(placed(frame, {masked}, {}, options)) == test::packed(result));
    }
}

// Checks a blur by a map: each sample is the mixture of the two levels next to its value.
TEST_P(RegionStep, AMapMixesItsLevels) {
  const Mask map(37, 29, 5);
  for (const std::string format : {"yuv420p", "nv12", "yuv422p10le", "rgb24", "gbrpf32le", "p010le",
                                   "gray16le", "yuv410p", "yuva420p"})
    for (const Scan scan : {Scan::progressive, Scan::interlaced}) {
      SCOPED_TRACE(format);
      ProcessorOptions options{.scan = scan};
      const Frame frame = first_frame("pattern:37x29:" + format + "#1");
      const FilterSpec mapped = FilterSpec::parse("gaussian:sigma=map:" + map.path() + "*4.5");
      std::vector<Frame> levels;
      levels.push_back(frame.share());
      for (const char* level : {"0.9", "1.8", "2.7", "3.6", "4.5"})
        levels.push_back(filtered_by(
            frame, {FilterSpec::parse(std::string("gaussian:sigma=") + level)}, {}, options));
      const Frame result = placed(frame, {mapped}, {}, options);
      for (std::size_t i = 0; i < frame.format().components.size(); ++i) {
        const Component& c = frame.format().components[i];
        const ConstBytePlane plane = std::as_const(frame).component(i);
        for (int y = 0; y < plane.height; ++y)
          for (int x = 0; x < plane.width; ++x) {
            const int value = 5 * most_of(map, c, x, y, scan == Scan::interlaced, frame);
            const auto k = static_cast<std::size_t>(std::max(1, (value + 254) / 255));
            const double below = code_of(levels[k - 1], i, x, y);
            const double above = code_of(levels[k], i, x, y);
            ASSERT_EQ(code_of(result, i, x, y),
                      mixed(below, above, value - 255 * static_cast<int>(k - 1),
                            c.sample.storage == Storage::f32))
                << c.name << " at " << x << "," << y;
          }
      }
      options.threads = 3;
      options.second_opinion = options.whole_planes = true;
      EXPECT_TRUE(test::packed(placed(frame, {mapped}, {}, options)) == test::packed(result));
    }
}

// Levels whose windows follow each other and those that are filtered at once; beside other filters.
TEST_P(RegionStep, MapsOfLargePicturesAndInChains) {
  const Mask map(700, 400, 7);
  const std::string by_map = "gaussian:sigma=map:" + map.path() + "*6";
  for (const std::string format : {"gray", "nv12", "gbrp10le", "yuva420p"})
    for (const std::vector<std::string>& chain :
         {std::vector{by_map + ":region=9,11,300,90;350,200,300,150"},
          {std::string("tilt-shift:y=40%,height=20%,blur=9")},
          {std::string("sharpen"), "tilt-shift:y=10%,height=5%,blur=7", std::string("sobel")},
          {"disk:radius=map:" + map.path() + "*3", std::string("box:region=5,5,90,90")}})
      for (const BorderMode border : {BorderMode::reflect101, BorderMode::wrap}) {
        SCOPED_TRACE(format + " " + chain.front());
        std::vector<FilterSpec> specs;
        for (const std::string& text : chain) specs.push_back(FilterSpec::parse(text));
        const Frame frame = first_frame("pattern:700x400:" + format + "#1");
        const std::string wanted =
            test::packed(filtered_by(frame, specs, {border, 0}, {.whole_planes = true}));
        EXPECT_TRUE(test::packed(placed(frame, specs, {border, 0})) == wanted);
      }
}

// A file with an edge filter's response is the mask that the filter makes.
TEST_P(RegionStep, EdgesMakeMasks) {
  const test::TempDir folder;
  for (const std::string format : {"yuv420p", "nv12", "rgb24", "gbrp10le", "p010le", "gray16le"})
    for (const Scan scan : {Scan::progressive, Scan::interlaced}) {
      SCOPED_TRACE(format);
      const ProcessorOptions options{.scan = scan};
      const Frame frame = first_frame("pattern:37x29:" + format + "#1");
      const Frame edges = filtered_by(frame, {FilterSpec::parse("sobel:scale=2")}, {}, options);
      std::string levels;
      for (int y = 0; y < 29; ++y)
        for (int x = 0; x < 37; ++x) {
          double most = 0;
          for (std::size_t i = 0; i < frame.format().components.size(); ++i)
            if (frame.format().components[i].kind != Component::Kind::chroma)
              most = std::max(most, code_of(edges, i, x, y));
          const int max = frame.format().components[0].sample.max();
          levels += static_cast<char>(static_cast<int>(std::floor(most * 255 / max + 0.5)));
        }
      std::ofstream(folder / "m.pgm", std::ios::binary) << "P5\n37 29\n255\n" << levels;
      const auto by_file = [&](const std::string& more) {
        const FilterSpec spec =
            FilterSpec::parse("box:mask=" + (folder / "m.pgm") + ":size=9" + more);
        return test::packed(filtered_by(frame, {spec}, {}, options));
      };
      const auto made = [&](const std::string& more) {
        const FilterSpec spec = FilterSpec::parse("box:mask=edges:(sobel:scale=2):size=9" + more);
        return test::packed(placed(frame, {spec}, {}, options));
      };
      for (const std::string more : {"", ":feather=3", ":invert=1", ":region=3,5,20,9",
                                     ":region=3,5,9,9;20,9,4,4:feather=2:invert=1"})
        EXPECT_TRUE(made(more) == by_file(more)) << more;
    }
}

// A mask of black and white is its regions. Some windows follow each other, because they overlap,
// and some are filtered at once.
TEST_P(RegionStep, ManyPiecesOfALargePicture) {
  for (const auto& [format, width, height] :
       {std::tuple("gray", 1500, 900), {"nv12", 1310, 700}, {"gbrp10le", 700, 1200}})
    for (const std::string place :
         {"region=10,11,90,80;103,97,300,90;605,501,70,199", "region=60,50,551,601:invert=1",
          "region=60,50,551,601:feather=9:invert=1", "region=0,0,9,9;650,600,50,99:feather=13"}) {
      SCOPED_TRACE(format + (" " + place));
      const Frame frame = first_frame("pattern:" + std::to_string(width) + "x" +
                                      std::to_string(height) + ":" + format + "#1");
      for (const std::string filter : {"gaussian:sigma=4", "sobel"})
        for (const BorderMode border : {BorderMode::reflect101, BorderMode::wrap}) {
          const FilterSpec here = FilterSpec::parse(filter + ":" + place);
          const std::string wanted =
              test::packed(filtered_by(frame, {here}, {border, 0}, {.whole_planes = true}));
          EXPECT_TRUE(test::packed(placed(frame, {here}, {border, 0})) == wanted);
        }
    }
}

TEST_P(RegionStep, WhiteIsARegion) {
  const test::TempDir folder;
  std::ofstream(folder / "m.pgm") << "P2 4 2 1  0 1 1 0  0 1 1 0";
  const Frame frame = first_frame("pattern:4x2:yuv420p#1");
  const auto with = [&](const std::string& place) {
    return test::packed(placed(frame, {FilterSpec::parse("box:" + place)}, {}));
  };
  const std::string mask = "mask=" + (folder / "m.pgm");
  EXPECT_TRUE(with(mask) == with("region=1,0,2,2"));
  EXPECT_TRUE(with(mask + ":region=0,0,2,1") == with("region=1,0,1,1"));
  EXPECT_TRUE(with(mask + ":invert=1") == with("region=1,0,2,2:invert=1"));
  expect_error(Fault::usage, {"column 10", "the mask is 4x2", "8x2"}, [&] {
    placed(first_frame("pattern:8x2:gray#1"), {FilterSpec::parse("box:" + mask)}, {});
  });
}

TEST_P(RegionStep, EverySizeFromOneToForty) {
  for (int n = 1; n <= 40; ++n) {
    const int width = n, height = 1 + n * 17 % 40;
    const Frame frame = first_frame("pattern:" + std::to_string(width) + "x" +
                                    std::to_string(height) + ":yuv420p#1");
    const Rect part{width / 3, height / 4, (width + 1) / 2, (height + 1) / 2};
    for (const std::string filter : {"gaussian:sigma=1", "box:size=31", "random:3,4x2"}) {
      SCOPED_TRACE(std::to_string(n) + " " + filter);
      const Frame all = filtered_by(frame, {FilterSpec::parse(filter)}, {});
      const FilterSpec here = FilterSpec::parse(
          filter + ":region=" + std::to_string(part.x) + "," + std::to_string(part.y) + "," +
          std::to_string(part.width) + "," + std::to_string(part.height));
      ASSERT_TRUE(test::packed(placed(frame, {here}, {})) ==
                  test::packed(merged(frame, all, {part}, false)));
    }
  }
}

// Each filter of a chain sees what the filters before it have made, wherever that was.
TEST_P(RegionStep, ChainsOfParts) {
  const Frame frame = first_frame("pattern:37x29:yuv420p#1");
  const std::vector<std::vector<std::string>> chains{
      {"gaussian:sigma=2:region=5,3,10,9", "sobel:region=8,8,20,20"},
      {"sharpen", "box:size=5:region=0,0,9,9"},
      {"box:size=5:region=0,0,9,9", "sharpen", "emboss:region=20,20,5,5", "sobel:region=4,4,9,9"}};
  for (const auto& chain : chains) {
    std::vector<FilterSpec> specs;
    Frame one_by_one = frame.share();
    for (const std::string& text : chain) {
      specs.push_back(FilterSpec::parse(text));
      one_by_one = filtered_by(one_by_one, {specs.back()}, {});
    }
    EXPECT_TRUE(test::packed(placed(frame, specs, {})) == test::packed(one_by_one));
  }
}

// Returns the same picture in memory of another layout, `inset` samples from where it begins.
Frame laid_out(const Frame& frame, const FrameLayout& layout, int inset) {
  FramePool pool(layout, plain_memory);
  FramePtr av = pool.get();
  av->width = frame.width();
  av->height = frame.height();
  for (int p = 0; p < frame.format().planes; ++p)
    av->data[p] += static_cast<std::ptrdiff_t>(inset) * frame.format().components[0].sample.bytes();
  Frame other(std::move(av), frame);
  for (int p = 0; p < frame.format().planes; ++p)
    for (int y = 0; y < frame.format().rows(p, frame.height()); ++y)
      std::memcpy(other.row(p, y), frame.row(p, y), frame.format().row_bytes(p, frame.width()));
  return other;
}

// One processor takes frames as decoders leave them, cropped ones and packed ones, which follow
// each other in the same memory; inputs stay as they were. In the chains all, some or no planes
// change in part; masks are made of a picture that has changed by then.
TEST_P(RegionStep, FramesOfAnyLayoutInTurn) {
  const std::vector<std::vector<std::string>> chains{
      {"gaussian:sigma=2:region=5,3,10,9;20,20,9,5", "sobel:region=8,8,20,20"},
      {"sharpen:region=9,9,9,9"},
      {"box:region=0,0,37,9:size=9", "box:mask=edges:sobel:size=5", "emboss:mask=edges:sobel"},
      {"box:region=3,3,9,9:feather=4:size=5", "sharpen"},
      {"sobel", "box:region=8,8,20,20"},
      {"tilt-shift:y=9,height=5,blur=3", "box:region=0,0,9,9"},
      {"gaussian:region=2,2,33,25:invert=1:sigma=3"}};
  for (const std::string format :
       {"yuv420p", "nv12", "yuv444p10le", "p010le", "rgb24", "gbrpf32le", "yuva420p", "yuyv422"})
    for (const auto& chain : chains)
      for (const Scan scan : {Scan::progressive, Scan::interlaced}) {
        SCOPED_TRACE(format + " " + chain.front());
        std::vector<FilterSpec> specs;
        for (const std::string& text : chain) specs.push_back(FilterSpec::parse(text));
        const Frame first = first_frame("pattern:37x29:" + format + "#1");
        const PixelFormat& f = first.format();
        const ProcessorOptions options{.device = GetParam(), .slots = 2, .scan = scan};
        const auto processor = make_processor(make_work(specs, f, {}, {}), 37, 29, options);
        for (int round = 0; round < 2; ++round)
          for (const auto& [layout, inset] :
               {std::pair(aligned_layout(f, 37, 29), 0), std::pair(aligned_layout(f, 90, 41), 0),
                std::pair(aligned_layout(f, 90, 41), 8), std::pair(packed_layout(f, 37, 29), 0)}) {
            const Frame frame = laid_out(first, layout, inset);
            const std::string wanted = test::packed(filtered_by(frame, specs, {}, {.scan = scan}));
            processor->submit(frame.share());
            ASSERT_TRUE(test::packed(*processor->collect()) == wanted) << layout.bytes << inset;
            ASSERT_TRUE(equal_pictures(frame, first));
          }
      }
}

// Works as a CUDA device does: regions change in one copy of the frame, and what the steps of a
// filter have left is brought in together.
TEST(RegionSteps, ChangeACopyOfTheFrame) {
  for (const std::string format : {"yuv420p", "nv12", "rgb24", "yuva420p"})
    for (const Scan scan : {Scan::progressive, Scan::interlaced}) {
      const std::vector<FilterSpec> chain{FilterSpec::parse("box:region=0,0,37,9;20,12,9,9:size=9"),
                                          FilterSpec::parse("sobel:region=8,3,20,20"),
                                          FilterSpec::parse("sharpen:mask=edges:sobel")};
      const Frame frame = first_frame("pattern:37x29:" + format + "#1");
      const Work work = make_work(chain, frame.format(), {}, {});
      SharedRegions known;
      const RegionSteps parts = make_region_steps(work, 37, 29, {.whole_planes = true}, known);
      Frame copy = copy_of(frame);
      Frame beside = filtered_by(frame, {FilterSpec::parse("sobel")}, {});
      const bool by_field = scan == Scan::interlaced;
      std::vector<ConstBytePlane> components;
      for (std::size_t i = 0; i < frame.format().components.size(); ++i)
        components.push_back(copy.component(i).as<const std::byte>());
      for (const auto& part : parts)
        if (part) part->set_picture(components, by_field, nullptr);
      std::vector<Blend> left;
      for (std::size_t s = 0; s < parts.size(); ++s) {
        if (!parts[s]) continue;
        std::vector<vidconv::RegionStep::Planes> planes;
        for (const std::size_t i : work.steps[s].components)
          planes.push_back({components[i], copy.component(i), beside.component(i), true});
        ASSERT_TRUE(parts[s]->now().in_one_round(by_field));
        parts[s]->filter(*pick(work.steps[s].plan, Device::cpu).convolver(1), planes, by_field,
                         nullptr, parts[s]->now(), left);
        if (s + 1 < parts.size() && work.steps[s + 1].link == work.steps[s].link) continue;
        parts[s]->bring_in(left, nullptr);
        left.clear();
      }
      EXPECT_TRUE(test::packed(copy) == test::packed(filtered_by(frame, chain, {}, {.scan = scan})))
          << format << by_field;
    }
}

TEST_P(RegionStep, PicturesOfOtherProgramsToo) {
  const Frame frame = first_frame("pattern:37x29:nv12#1");
  VideoInfo video;
  video.format = &frame.format();
  video.height = frame.height();
  const LightPlan light = make_light_plan(video, Codes::all, {});
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"box:size=5:region=5,3,10,9", "gaussian:sigma=2:region=9,9,9,9"},
        {"tilt-shift:y=9,height=5,blur=3"}})
    for (const bool linear : {false, true}) {
      std::vector<FilterSpec> chain;
      for (const std::string& text : words) chain.push_back(FilterSpec::parse(text));
      const auto work = [&] {
        return linear ? make_light_work(chain, frame.format(), {}, light)
                      : make_work(chain, frame.format(), {}, {});
      };
      Frame result = copy_of(frame);
      const auto filter =
          make_picture_filter(work(), 37, 29, {.device = GetParam()}, {.hosted = true});
      std::vector<PlaceOfPlane> from, to;
      for (int p = 0; p < frame.format().planes; ++p) {
        from.push_back(
            {const_cast<std::byte*>(frame.row(p, 0)), frame.row(p, 1) - frame.row(p, 0)});
        to.push_back({result.row(p, 0), result.row(p, 1) - result.row(p, 0)});
      }
      filter->run(from, to, nullptr);
      const auto processor = make_processor(work(), 37, 29, {});
      processor->submit(frame.share());
      EXPECT_TRUE(test::packed(result) == test::packed(*processor->collect()))
          << words.front() << linear;
    }
}

// Codes are limited wherever a filter's result stays visible, whatever follows elsewhere.
TEST(RegionSteps, CodesOfAllThatIsSeenAreLimited) {
  const FilterSpec chain[] = {FilterSpec::parse("sharpen"), FilterSpec::parse("box"),
                              FilterSpec::parse("sobel:region=0,0,9,9")};
  const Work work = make_work(chain, *find_format(AV_PIX_FMT_GRAY8), {}, {}, Codes::limited);
  ASSERT_EQ(work.steps.size(), 3u);
  EXPECT_EQ(work.steps[0].plan.finish.min, 0);
  EXPECT_GT(work.steps[1].plan.finish.min, 0);
  EXPECT_GT(work.steps[2].plan.finish.min, 0);
}

TEST_P(RegionStep, WhatIsNotThereIsRefused) {
  const Frame frame = first_frame("pattern:37x29:yuv420p#1");
  const auto with = [&](const std::string& place) {
    return [&frame, place] { placed(frame, {FilterSpec::parse("box:" + place)}, {}); };
  };
  expect_error(Fault::usage, {"column 12", "ends at 38,29", "37x29"}, with("region=8,0,30,29"));
  expect_error(Fault::usage, {"column 20", "ends at 5,30"}, with("region=0,0,1,1;0,0,5,30"));
  expect_error(Fault::usage, {"column 12", "no pixel"}, with("region=0,0,1%,1%"));
  expect_error(Fault::usage, {"column 33", "leaves nothing"},
               with("region=0,0,100%,100%:invert=1"));
}

INSTANTIATE_TEST_SUITE_P(Devices, RegionStep, testing::Values(Device::cpu, Device::cuda),
                         [](const auto& instance) {
                           return instance.param == Device::cpu ? "cpu" : "cuda";
                         });

}  // namespace
}  // namespace vidconv
