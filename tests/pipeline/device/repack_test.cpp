// Compares the kernel between planes and the layouts of video engines with plain loops; bytes
// beside the samples stay as they are.
#include "kernels/cuda/copy/repack.h"

#include <gtest/gtest.h>

#include <cstring>

#include "kernels/cuda/common/device_buffer.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

struct Case {
  int width, height, from_step, to_step, shift;
  Storage storage;
};

void expect_like_loops(const Case& c) {
  const std::size_t size = c.storage == Storage::u8 ? 1 : 2;
  const auto stride = [&](int step) {
    return static_cast<std::ptrdiff_t>(size) * (c.width * step + 5);
  };
  const auto bytes = [&](int step) { return static_cast<std::size_t>(stride(step) * c.height); };
  std::vector<std::byte> from(bytes(c.from_step)), wanted(bytes(c.to_step), std::byte{0xa5});
  unsigned seed = static_cast<unsigned>(c.width * 41 + c.height);
  for (std::byte& byte : from) byte = static_cast<std::byte>((seed = seed * 1664525 + 12345) >> 24);
  const cuda::DeviceBuffer device_from(0, from.size()), device_to(0, wanted.size());
  device_from.upload(from, nullptr);
  device_to.upload(wanted, nullptr);
  const auto plane = [&](std::byte* data, int step) {
    return BytePlane{
        .data = data, .stride = stride(step), .width = c.width, .height = c.height, .step = step};
  };
  cuda::repack(plane(device_from.data(), c.from_step).as<const std::byte>(), c.shift,
               plane(device_to.data(), c.to_step), c.storage, nullptr);
  std::vector<std::byte> result(wanted.size());
  device_to.download(result, nullptr);
  for (int y = 0; y < c.height; ++y)
    for (int x = 0; x < c.width; ++x) {
      unsigned sample = 0;
      std::memcpy(&sample,
                  &from[static_cast<std::size_t>(y * stride(c.from_step)) +
                        size * static_cast<std::size_t>(x * c.from_step)],
                  size);
      sample = c.shift > 0 ? sample << c.shift : sample >> -c.shift;
      std::memcpy(&wanted[static_cast<std::size_t>(y * stride(c.to_step)) +
                          size * static_cast<std::size_t>(x * c.to_step)],
                  &sample, size);
    }
  EXPECT_TRUE(result == wanted) << c.width << "x" << c.height << " steps " << c.from_step << ", "
                                << c.to_step << " shift " << c.shift;
}

TEST(CudaRepack, IsLikePlainLoops) {
  if (!test::has(Device::cuda)) GTEST_SKIP() << "no CUDA device";
  for (const auto& [from_step, to_step] : {std::pair(1, 1), {1, 2}, {2, 1}, {2, 2}}) {
    for (int width = 1; width <= 40; ++width)
      expect_like_loops({width, 41 - width, from_step, to_step, 0, Storage::u8});
    for (const int shift : {-8, -6, -4, 0, 4, 6, 8})
      for (const int width : {1, 2, 31, 40, 127, 128, 129, 511, 512, 513, 1100})
        expect_like_loops({width, 7, from_step, to_step, shift, Storage::u16});
  }
}

}  // namespace
}  // namespace vidconv
