// Blends against the nearest code in double, and a CUDA device against the CPU.
#include "kernels/convolver/blend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "kernels/picture/rect.h"
#include "tests/kernels/support/runner.h"
#ifdef VIDCONV_HAVE_CUDA
#include "kernels/cuda/common/device_buffer.h"
#endif

namespace vidconv {
namespace {

// The result is that of real arithmetic, rounded to the nearest; there are no ties.
TEST(Blend, IsTheNearestCode) {
  for (const unsigned max : {255U, 1023U, 65535U})
    for (unsigned weight = 0; weight <= 255; ++weight)
      for (unsigned was = 0; was <= max; was += 1 + max / 83)
        for (unsigned filtered = 0; filtered <= max; filtered += 1 + max / 71) {
          const double real =
              (was * (255.0 - weight) + filtered * static_cast<double>(weight)) / 255;
          ASSERT_EQ(blended(static_cast<std::uint16_t>(was), static_cast<std::uint16_t>(filtered),
                            weight),
                    std::floor(real + 0.5));
        }
  // Bytes side by side take all weights.
  const auto blender = make_cpu_blender({}, 1);
  std::vector<std::uint8_t> filtered(256), picture(256), weights(256);
  std::iota(filtered.begin(), filtered.end(), std::uint8_t{0});
  const BytePlane to{.data = reinterpret_cast<std::byte*>(picture.data()),
                     .stride = 256,
                     .width = 256,
                     .height = 1};
  const ConstBytePlane from =
      to.at(reinterpret_cast<const std::byte*>(filtered.data())).as<const std::byte>();
  for (int weight = 0; weight <= 255; ++weight)
    for (int was = 0; was <= 255; ++was) {
      std::ranges::fill(picture, static_cast<std::uint8_t>(was));
      std::ranges::fill(weights, static_cast<std::uint8_t>(weight));
      const Blend all{{from, to}, to.at(static_cast<const std::uint8_t*>(weights.data()))};
      blender->run({&all, 1}, nullptr);
      for (int i = 0; i <= 255; ++i)
        ASSERT_EQ(picture[static_cast<std::size_t>(i)],
                  blended(static_cast<std::uint8_t>(was), static_cast<std::uint8_t>(i),
                          static_cast<unsigned>(weight)));
    }
  EXPECT_EQ(blended(0.1F, 0.3F, 255), 0.3F);
  EXPECT_EQ(blended(0.1F, 0.3F, 0), 0.1F);
  EXPECT_EQ(blended(0.25F, 0.75F, 51), 0.25F + 0.5F * (51.0F / 255.0F));
  EXPECT_EQ((blended_stored<std::uint16_t>(64, 1023 << 6, 255, 6)), 1023 << 6);
}

// Three planes of any bytes, in host memory.
struct BlendMemory {
  BlendMemory(const SampleType& sample, unsigned seed) : filtered(size), picture(size) {
    std::mt19937 random(seed);
    weights.resize(static_cast<std::size_t>(width * height));
    for (std::uint8_t& weight : weights) {
      const unsigned n = random() % 512;
      weight = static_cast<std::uint8_t>(n < 128 ? 0 : n > 383 ? 255 : n - 128);
    }
    for (auto* plane : {&filtered, &picture})
      for (std::size_t i = 0; i + 4 <= size; i += 4) {
        const float value = static_cast<float>(random() % 4096) / 4096;
        const auto codes = static_cast<std::uint32_t>(random());
        if (sample.storage == Storage::f32)
          std::memcpy(&(*plane)[i], &value, 4);
        else
          std::memcpy(&(*plane)[i], &codes, 4);
      }
  }

  static constexpr int width = 203, height = 61;
  static constexpr std::size_t size = 203 * 61 * 4 * 2;
  std::vector<std::byte> filtered, picture;
  std::vector<std::uint8_t> weights;
};

// Blends regions of planes at these addresses, enough for several launches and in odd columns;
// every other one replaces the picture's samples, and some of the rest are levels of a map.
std::vector<Blend> some_blends(const SampleType& sample, int step, const std::byte* filtered,
                               std::byte* picture, const std::uint8_t* weights) {
  const int bytes = sample.bytes();
  const ConstBytePlane from{.data = filtered,
                            .stride = std::ptrdiff_t{BlendMemory::width} * bytes * step,
                            .width = BlendMemory::width,
                            .height = BlendMemory::height,
                            .step = step};
  const BytePlane to = from.at(picture);
  const Plane<const std::uint8_t> all{.data = weights,
                                      .stride = BlendMemory::width,
                                      .width = BlendMemory::width,
                                      .height = BlendMemory::height};
  std::vector<Blend> blends;
  for (const Rect& r : {Rect{0, 0, 1, 1}, Rect{3, 5, 130, 20}, Rect{140, 0, 63, 61},
                        Rect{1, 30, 128, 9}, Rect{5, 2, 0, 4}, Rect{7, 50, 31, 11}})
    blends.push_back({{part_of(from, r, bytes), part_of(to, r, bytes)}, part_of(all, r, 1)});
  const Rect around{133, 21, 7, 40};
  for (int x = around.x; x < around.right(); ++x)
    for (const Rect& r : {Rect{x, around.y, 1, 4}, Rect{x, around.y + 4, 1, around.height - 4}})
      blends.push_back({{part_of(from, r, bytes), part_of(to, r, bytes)}, part_of(all, r, 1)});
  for (std::size_t i = 1; i < blends.size(); i += 2) blends[i].weights = {};
  for (std::size_t i = 2; i < blends.size(); i += 4)
    blends[i].level = {1 + static_cast<int>(i % 5), 5};
  return blends;
}

constexpr SampleType all_samples[] = {{},
                                      {.storage = Storage::u16, .depth = 10},
                                      {.storage = Storage::u16, .depth = 10, .shift = 6},
                                      {.storage = Storage::u16, .depth = 16},
                                      {.storage = Storage::f32, .depth = 32}};

std::vector<std::byte> blended_on_cpu(const SampleType& sample, int step, BlendMemory memory,
                                      int threads) {
  make_cpu_blender(sample, threads)
      ->run(some_blends(sample, step, memory.filtered.data(), memory.picture.data(),
                        memory.weights.data()),
            nullptr);
  return memory.picture;
}

TEST(Blend, SameBytesByEveryNumberOfThreads) {
  for (const SampleType& sample : all_samples)
    for (const int step : {1, 2}) {
      const BlendMemory memory(sample, 3);
      EXPECT_EQ(blended_on_cpu(sample, step, memory, 1), blended_on_cpu(sample, step, memory, 3));
      EXPECT_NE(blended_on_cpu(sample, step, memory, 1), memory.picture);
    }
}

// The weights of a level are those of a mask that says the same, in rows of any length.
TEST(Blend, ALevelIsAMaskOfItsWeights) {
  for (const SampleType& sample : all_samples)
    for (const MapLevel& level : {MapLevel{1, 4}, {3, 7}, {16, 16}}) {
      constexpr int width = 1300, height = 3;
      const auto size = static_cast<std::size_t>(width * height * sample.bytes());
      std::mt19937 random(1);
      std::vector<std::uint8_t> values(width * height), weights;
      for (std::uint8_t& value : values) value = static_cast<std::uint8_t>(random());
      for (const std::uint8_t value : values)
        weights.push_back(static_cast<std::uint8_t>(level.weight_at(value)));
      std::vector<std::byte> filtered(size, std::byte{0x3d}), by_level(size, std::byte{0x11});
      std::vector<std::byte> by_mask = by_level;
      const auto blend = [&](std::vector<std::byte>& picture, const std::vector<std::uint8_t>& all,
                             const MapLevel& of) {
        const BytePlane to{.data = picture.data(),
                           .stride = std::ptrdiff_t{width} * sample.bytes(),
                           .width = width,
                           .height = height};
        const Plane<const std::uint8_t> by{
            .data = all.data(), .stride = width, .width = width, .height = height};
        const Blend one{{to.at(filtered.data()).as<const std::byte>(), to}, by, of};
        make_cpu_blender(sample, 2)->run({&one, 1}, nullptr);
      };
      blend(by_level, values, level);
      blend(by_mask, weights, {});
      EXPECT_EQ(by_level, by_mask) << sample.depth << " " << level.number;
    }
}

TEST(Blend, SameBytesOnADevice) {
  if (!test::cuda_works()) GTEST_SKIP() << "no CUDA device";
#ifdef VIDCONV_HAVE_CUDA
  for (const SampleType& sample : all_samples)
    for (const int step : {1, 2}) {
      const BlendMemory memory(sample, 4);
      cuda::DeviceBuffer filtered(0, BlendMemory::size), picture(0, BlendMemory::size);
      filtered.upload(memory.filtered, nullptr);
      picture.upload(memory.picture, nullptr);
      const auto blender = make_cuda_blender(sample);
      const auto weights = blender->hold(memory.weights);
      blender->run(some_blends(sample, step, filtered.data(), picture.data(), weights.get()),
                   nullptr);
      std::vector<std::byte> result(BlendMemory::size);
      picture.download(result, nullptr);
      EXPECT_EQ(result, blended_on_cpu(sample, step, memory, 1)) << sample.depth << " " << step;
    }
#endif
}

}  // namespace
}  // namespace vidconv
