#include "pipeline/filter/step_planes.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/variants/variants.h"
#include "pipeline/filter/picture_filter.h"

namespace vidconv::test {
namespace {

const PixelFormat& packed_format(const char* name) { return *find_format(av_get_pix_fmt(name)); }

Work work_on(const PixelFormat& format, const std::vector<std::string>& chain) {
  std::vector<FilterSpec> specs;
  for (const std::string& text : chain) specs.push_back(FilterSpec::parse(text));
  return make_work(specs, format, {}, {});
}

class Copies final : public Convolver {
 public:
  explicit Copies(bool in_passing) : in_passing_(in_passing) {}
  void run(std::span<const PlanePair>, CudaStream) override {}
  bool copies_in_passing() const override { return in_passing_; }

 private:
  const bool in_passing_;
};

// The bytes that steps copy in passing, and the components that are left to be copied alone.
struct Copied {
  std::vector<std::ptrdiff_t> beside;
  std::vector<std::size_t> alone;
  bool operator==(const Copied&) const = default;
};

Copied copied(const char* format, const std::vector<std::string>& chain, int width = 8,
              bool in_passing = true) {
  const Work work = work_on(packed_format(format), chain);
  const Copies filters(in_passing), others(false);
  std::vector<const Convolver*> convolvers;
  for (const Step& step : work.steps)
    convolvers.push_back(step.action == Action::filter ? &filters : &others);
  Copied result;
  const auto all = planes_of_steps(work, width, convolvers);
  for (std::size_t s = 0; s < all.size(); ++s) {
    if (!all[s].beside.empty()) result.beside = all[s].beside;
    if (work.steps[s].action == Action::copy) result.alone = all[s].components;
  }
  return result;
}

TEST(StepPlanes, WhatLiesBesideIsCopiedInPassing) {
  using C = Copied;
  EXPECT_EQ(copied("rgba", {"sobel"}), (C{{3}, {}}));
  EXPECT_EQ(copied("argb", {"box"}), (C{{-1}, {}}));
  EXPECT_EQ(copied("bgra", {"box"}), (C{{1}, {}}));  // distance from R, which comes third
  EXPECT_EQ(copied("bgr0", {"box"}), (C{{1}, {}}));
  EXPECT_EQ(copied("rgba64le", {"box"}), (C{{6}, {}}));
  EXPECT_EQ(copied("ya8", {"box"}), (C{{1}, {}}));
  EXPECT_EQ(copied("yuyv422", {"sharpen"}), (C{{1}, {}}));  // both chroma components
  EXPECT_EQ(copied("uyvy422", {"sharpen"}), (C{{-1}, {}}));
  EXPECT_EQ(copied("rgba", {"box:planes=G"}), (C{{-1, 1, 2}, {}}));
}

TEST(StepPlanes, WhatCannotIsCopiedAlone) {
  using C = Copied;
  EXPECT_EQ(copied("rgba", {"sobel"}, 8, false), (C{{}, {3}}));
  EXPECT_EQ(copied("rgba", {"box", "sobel"}), (C{{}, {3}}));         // not from input to output
  EXPECT_EQ(copied("yuyv422", {"sharpen"}, 7), (C{{}, {1, 2, 3}}));  // the last pixel is a half
  EXPECT_EQ(copied("nv12", {"sharpen"}), (C{{}, {1, 2}}));           // in another plane
  EXPECT_EQ(copied("gbrap", {"box"}), (C{{}, {3}}));
  EXPECT_EQ(copied("rgb24", {"box"}), (C{{}, {}}));
  if (find_format(av_get_pix_fmt("rgbaf32le")) != nullptr) {
    EXPECT_EQ(copied("rgbaf32le", {"box"}), (C{{}, {3}}));  // -0 becomes 0
  }
}

// Returns how many steps take turns from each step of a work on.
std::string turns(const char* format, const std::vector<std::string>& chain) {
  const Work work = work_on(packed_format(format), chain);
  const Copies none(false);
  const std::vector<const Convolver*> convolvers(work.steps.size(), &none);
  std::string result;
  for (const StepPlanes& planes : planes_of_steps(work, 7, convolvers))
    result += std::to_string(planes.in_turn);
  return result;
}

TEST(StepPlanes, ThoseOfOnePlaneTakeTurns) {
  EXPECT_EQ(turns("yuyv422", {"box"}), "321");    // luma, chroma, padding
  EXPECT_EQ(turns("yuyv422", {"sobel"}), "321");  // chroma is filled
  EXPECT_EQ(turns("rgba", {"box"}), "21");  // alpha is copied, by a step that cannot in passing
  EXPECT_EQ(turns("rgba", {"box", "box"}), "111");  // the second reads what the first has written
  EXPECT_EQ(turns("nv12", {"box"}), "11");
  EXPECT_EQ(turns("yuv444p", {"box"}), "11");
}

// Rows are taken as the CPU's convolvers take them, and as others do not.
TEST(StepPlanes, EachRowIsRunOnceInTurn) {
  class Counts final : public Convolver {
   public:
    explicit Counts(bool takes_rows) : takes_rows_(takes_rows) {}
    void run(std::span<const PlanePair>, CudaStream) override { ++whole; }
    bool run_rows(std::span<const PlanePair>, RowRange rows) override {
      if (!takes_rows_) return false;
      EXPECT_EQ(rows.first, last);
      last = rows.last;
      return true;
    }
    int whole = 0, last = 0;

   private:
    const bool takes_rows_;
  };
  std::byte memory[4] = {};
  const BytePlane plane{.data = memory, .stride = 0, .width = 1, .height = 1000, .step = 2};
  const std::vector<PlanePair> pairs = {{plane.as<const std::byte>(), plane}};
  Counts rows(true), whole(false);
  std::vector<Turn> both = {{&rows, pairs}, {&whole, pairs}, {&whole, {}}};
  run_in_turn(both, 2, nullptr);
  EXPECT_GE(rows.last, 1000);
  EXPECT_EQ(rows.whole, 0);
  EXPECT_EQ(whole.whole, 1);
  std::vector<Turn> one = {{&rows, pairs}};
  run_in_turn(one, 2, nullptr);
  EXPECT_EQ(rows.whole, 1);
}

TEST(StepPlanes, FieldsFollowEachOther) {
  std::byte memory[100];
  const auto plane = [&](std::size_t i) {
    return BytePlane{.data = memory + i, .stride = 12, .width = 3, .height = 5, .step = 4};
  };
  const auto from = [&](std::size_t i) { return plane(i).as<const std::byte>(); };
  std::vector<PlanePair> pairs;
  set_pairs({{0, 1, 2}, {3}}, from, plane, true, pairs);
  ASSERT_EQ(pairs.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(pairs[i].dst.data, memory + i % 4 + (i < 4 ? 0 : 12));
    EXPECT_EQ(pairs[i].src.data, pairs[i].dst.data);
    EXPECT_EQ(pairs[i].dst.height, i < 4 ? 3 : 2);
    EXPECT_EQ(pairs[i].dst.stride, 24);
    EXPECT_EQ(pairs[i].copied, i % 4 == 3);
  }
  set_pairs({{}, {}}, from, plane, true, pairs);
  EXPECT_TRUE(pairs.empty());
}

// Pictures have other bytes between the rows; the best variant is compared with the definition.
TEST(StepPlanes, EveryFormatGivesTheBytesOfTheDefinition) {
  unsigned seed = 1;
  for (const PixelFormat& format : formats()) {
    if (std::ranges::none_of(format.components, [](const Component& c) { return c.step > 1; }))
      continue;
    for (const char* spec : {"sharpen", "box:size=3", "sobel", "gaussian:sigma=3", "box:size=21"})
      for (const Scan scan : {Scan::progressive, Scan::interlaced}) {
        const int width = 1 + static_cast<int>(++seed * 7 % 75);
        // Some pictures have more rows than are run in turn.
        const int height = 1 + static_cast<int>(seed % 10 == 0 ? 290 : seed % 9);
        std::vector<std::byte> bytes[3];  // the source, and two results
        std::vector<PlaceOfPlane> places[3];
        for (int i = 0; i < 3; ++i) {
          std::vector<std::size_t> begin;
          for (const PlaneExtent& extent : extents_of_planes(format, width, height)) {
            begin.push_back(bytes[i].size());
            places[i].push_back({nullptr, extent.row_bytes + 12});
            bytes[i].resize(bytes[i].size() +
                            static_cast<std::size_t>(places[i].back().stride * extent.rows));
          }
          for (int p = 0; p < format.planes; ++p)
            places[i][static_cast<std::size_t>(p)].data =
                bytes[i].data() + begin[static_cast<std::size_t>(p)];
          std::minstd_rand random(i == 0 ? seed : seed + 1);
          const SampleType sample = format.components[0].sample;
          for (std::size_t at = 0; at < bytes[i].size(); ++at) {
            // Bytes are valid codes of the type; floats are at most 1.
            bytes[i][at] = static_cast<std::byte>(random() >> 8);
            if (sample.storage == Storage::f32 && at % 4 == 3)
              bytes[i][at] = static_cast<std::byte>(0x3E);
            if (sample.storage == Storage::u16 && sample.shift == 0 && at % 2 == 1)
              bytes[i][at] &= static_cast<std::byte>(sample.max() >> 8);
          }
        }
        for (int i = 1; i < 3; ++i) {
          ProcessorOptions options;
          options.threads = 2;
          options.scan = scan;
          if (i == 2) options.variant = find_variant("reference");
          make_cpu_picture_filter(work_on(format, {spec}), width, height, options)
              ->run(places[0], places[i], nullptr);
        }
        EXPECT_TRUE(bytes[1] == bytes[2]) << format.name << ", " << spec << ", " << width << "x"
                                          << height << (scan == Scan::interlaced ? ", fields" : "");
      }
  }
}

}  // namespace
}  // namespace vidconv::test
