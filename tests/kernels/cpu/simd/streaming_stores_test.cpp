// Results that are written past the caches, which takes a large plane whose rows are aligned, are
// those of the same variant for rows that are not.
#include "kernels/cpu/simd/streaming_stores.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"

namespace vidconv::test {
namespace {

constexpr int width = 2077;
constexpr std::size_t alignment = 64;

// Rows begin `beside` bytes behind where vectors would be aligned.
class LargePlane {
 public:
  LargePlane(SampleType sample, std::size_t beside)
      : row_bytes_(width * static_cast<std::size_t>(sample.bytes())),
        stride_((row_bytes_ / alignment + 2) * alignment),
        height_(static_cast<int>(past_caches_from / static_cast<std::ptrdiff_t>(stride_)) + 1),
        memory_(stride_ * (static_cast<std::size_t>(height_) + 1)) {
    const auto at = reinterpret_cast<std::uintptr_t>(memory_.data());
    first_ = memory_.data() + (alignment - at % alignment) % alignment + beside;
  }
  BytePlane plane() {
    return {.data = first_,
            .stride = static_cast<std::ptrdiff_t>(stride_),
            .width = width,
            .height = height_};
  }
  void fill(SampleType sample) {
    std::mt19937 random(1);
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width; ++x) {
        std::byte* const to = first_ + static_cast<std::size_t>(y) * stride_ +
                              static_cast<std::size_t>(x * sample.bytes());
        const float real = static_cast<float>(random() & 0xFFFF) / 65536;
        const auto code =
            static_cast<std::uint16_t>(random() & static_cast<unsigned>(sample.max()));
        if (sample.storage == Storage::f32)
          std::memcpy(to, &real, sizeof real);
        else
          std::memcpy(to, &code, static_cast<std::size_t>(sample.bytes()));
      }
  }
  int first_different_row(const LargePlane& other) const {
    for (int y = 0; y < height_; ++y) {
      const std::size_t at = static_cast<std::size_t>(y) * stride_;
      if (std::memcmp(first_ + at, other.first_ + at, row_bytes_) != 0) return y;
    }
    return -1;
  }

 private:
  std::size_t row_bytes_, stride_;
  int height_;
  std::vector<std::byte> memory_;
  std::byte* first_;
};

void expect_same(const char* variant, const char* spec, SampleType sample) {
  const Plan plan = make_plan(FilterSpec::parse(spec).make(), sample, {}, Role::colour);
  const Prepared prepared = find_variant(variant)->prepare(plan, {});
  ASSERT_TRUE(prepared) << variant << " " << spec;
  LargePlane source(sample, 0), aligned(sample, 0), beside(sample, 4);
  ASSERT_TRUE(goes_past_caches(aligned.plane()));
  ASSERT_FALSE(goes_past_caches(beside.plane()));
  source.fill(sample);
  const std::unique_ptr<Convolver> convolver = prepared(2);
  for (LargePlane* to : {&aligned, &beside}) {
    const PlanePair pair{source.plane().at<const std::byte>(source.plane().data), to->plane()};
    convolver->run({&pair, 1}, nullptr);
  }
  EXPECT_EQ(aligned.first_different_row(beside), -1) << variant << " " << spec;
}

// Not every machine has all variants.
void expect_same_where_taken(const char* variant, const char* spec, SampleType sample) {
  const Plan plan = make_plan(FilterSpec::parse(spec).make(), sample, {}, Role::colour);
  if (find_variant(variant)->prepare(plan, {})) expect_same(variant, spec, sample);
}

TEST(PastCaches, TakesLargePlanesWhoseRowsAreAligned) {
  alignas(64) std::byte memory[128];
  const auto taken = [&](int beside, std::ptrdiff_t stride, int rows, int step = 1) {
    return goes_past_caches(
        {.data = memory + beside, .stride = stride, .width = 10, .height = rows, .step = step});
  };
  EXPECT_TRUE(taken(0, 6400, 1875));
  EXPECT_TRUE(taken(64, -6400, 1875)) << "bottom up";
  EXPECT_FALSE(taken(0, 6400, 1874)) << "small";
  EXPECT_FALSE(taken(32, 6400, 1875));
  EXPECT_FALSE(taken(0, 6432, 1875));
  EXPECT_FALSE(taken(0, 6400, 1875, 3)) << "packed";
}

TEST(PastCaches, CodesOf8Bits) {
  const SampleType codes{Storage::u8, 8, 0};
  expect_same("cpu-box-binomial-int", "binomial", codes);
  expect_same_where_taken("cpu-blur3x3-int16", "gaussian:sigma=0.7:radius=1", codes);
  expect_same("cpu-box-binomial-int", "box:size=5", codes);
  expect_same("cpu-sobel", "sobel", codes);
  expect_same_where_taken("cpu-conv3x3-int16", "sharpen", codes);
  expect_same_where_taken("cpu-conv-u8-vnni", "sharpen", codes);
  expect_same_where_taken("cpu-conv-u8-avx2", "sharpen", codes);
  expect_same_where_taken("cpu-conv-u8-avx2", "matrix:1 2 3 4;4 3 2 5;1 1 7 1;2 2 5 1:scale=1/64",
                          codes);
  expect_same_where_taken(
      "cpu-conv-u8-avx2",
      "matrix:1 2 3 4 5 6 7;4 3 2 5 1 1 2;1 1 7 1 1 1 1;2 2 5 1 2 3 4;0 1 0 1 2 "
      "0 1;1 1 1 1 1 2 1;3 1 2 1 1 0 1:scale=1/128",
      codes);
  expect_same_where_taken("cpu-separable-int-avx2", "gaussian:sigma=1", codes);
}

TEST(PastCaches, CodesOf10Bits) {
  const SampleType codes{Storage::u16, 10, 0};
  expect_same("cpu-box-binomial-int", "binomial:size=3", codes);
  expect_same_where_taken("cpu-blur3x3-int16", "gaussian:sigma=0.7:radius=1", codes);
  expect_same_where_taken("cpu-conv3x3-int16", "sharpen", codes);
  expect_same_where_taken("cpu-conv3x3-int16", "emboss", codes);
  expect_same("cpu-sobel", "sobel", codes);
}

TEST(PastCaches, CodesOf16Bits) {
  const SampleType codes{Storage::u16, 16, 0};
  expect_same("cpu-generic", "gaussian:sigma=1", codes);
  expect_same_where_taken("cpu-separable-f32", "gaussian:sigma=0.7:radius=1", codes);
  expect_same_where_taken("cpu-separable-f32", "gaussian:sigma=1.1:radius=2", codes);
  expect_same("cpu-sobel", "sobel", codes);
  expect_same("cpu-conv-int16", "binomial", codes);
  expect_same("cpu-box-int-running", "box:size=9", codes);
}

TEST(PastCaches, Floats) {
  const SampleType floats{Storage::f32, 32, 0};
  expect_same("cpu-generic", "gaussian:sigma=1", floats);
  expect_same("cpu-generic", "sobel", floats);
  expect_same("cpu-generic", "matrix:1 2 3;4 5 6;7 8 -10", floats);
  expect_same("cpu-box-f32-pairwise", "box:size=9", floats);
  expect_same("cpu-sobel", "sobel", floats);
  expect_same_where_taken("cpu-separable-f32", "gaussian:sigma=0.7:radius=1", floats);
  expect_same_where_taken("cpu-separable-f32", "gaussian:sigma=1.1:radius=2", floats);
  expect_same_where_taken("cpu-separable-f32", "sharpen", floats);
  expect_same_where_taken("cpu-box-f32-avx512", "box:size=7", floats);
  expect_same_where_taken("cpu-box-f32-avx512", "box:size=9", floats);
}

}  // namespace
}  // namespace vidconv::test
