// Results that are written past the caches, which takes a large plane whose rows are aligned, are
// those of the same variant for rows that are not.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"

namespace vidconv::test {
namespace {

constexpr int width = 2077, height = 3100;  // more than 12 MiB of 16 bits
constexpr std::size_t alignment = 64;

// Rows begin `beside` bytes behind where vectors would be aligned.
class LargePlane {
 public:
  LargePlane(SampleType sample, std::size_t beside)
      : row_bytes_(width * static_cast<std::size_t>(sample.bytes())),
        stride_((row_bytes_ / alignment + 2) * alignment),
        memory_(stride_ * (height + 1)) {
    const auto at = reinterpret_cast<std::uintptr_t>(memory_.data());
    first_ = memory_.data() + (alignment - at % alignment) % alignment + beside;
  }
  BytePlane plane() {
    return {.data = first_,
            .stride = static_cast<std::ptrdiff_t>(stride_),
            .width = width,
            .height = height};
  }
  void fill(SampleType sample) {
    std::mt19937 random(1);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        std::byte* const to = first_ + static_cast<std::size_t>(y) * stride_ +
                              static_cast<std::size_t>(x * sample.bytes());
        const float real = static_cast<float>(random() & 0xFFFF) / 65536;
        const auto code = static_cast<std::uint16_t>(random());
        if (sample.storage == Storage::f32)
          std::memcpy(to, &real, sizeof real);
        else
          std::memcpy(to, &code, sizeof code);
      }
  }
  int first_different_row(const LargePlane& other) const {
    for (int y = 0; y < height; ++y) {
      const std::size_t at = static_cast<std::size_t>(y) * stride_;
      if (std::memcmp(first_ + at, other.first_ + at, row_bytes_) != 0) return y;
    }
    return -1;
  }

 private:
  std::size_t row_bytes_, stride_;
  std::vector<std::byte> memory_;
  std::byte* first_;
};

void expect_same(const char* variant, const char* spec, SampleType sample) {
  const Plan plan = make_plan(FilterSpec::parse(spec).make(), sample, {}, Role::colour);
  const Prepared prepared = find_variant(variant)->prepare(plan, {});
  ASSERT_TRUE(prepared) << variant << " " << spec;
  LargePlane source(sample, 0), aligned(sample, 0), beside(sample, 4);
  source.fill(sample);
  const std::unique_ptr<Convolver> convolver = prepared(2);
  for (LargePlane* to : {&aligned, &beside}) {
    const PlanePair pair{source.plane().at<const std::byte>(source.plane().data), to->plane()};
    convolver->run({&pair, 1}, nullptr);
  }
  EXPECT_EQ(aligned.first_different_row(beside), -1) << variant << " " << spec;
}

TEST(PastCaches, CodesOf16Bits) {
  const SampleType codes{Storage::u16, 16, 0};
  expect_same("cpu-lanes", "gaussian:sigma=1", codes);
  expect_same("cpu-int16", "binomial", codes);
  expect_same("cpu-running", "box:size=9", codes);
}

TEST(PastCaches, Floats) {
  const SampleType floats{Storage::f32, 32, 0};
  expect_same("cpu-lanes", "gaussian:sigma=1", floats);
  expect_same("cpu-lanes", "sobel", floats);
  expect_same("cpu-pairwise", "box:size=9", floats);
}

}  // namespace
}  // namespace vidconv::test
