#include "bench/planes.h"

#include <cstring>

namespace vidconv::bench {

std::vector<std::byte> noise(SampleType sample, std::size_t count, unsigned seed) {
  const auto size = static_cast<std::size_t>(sample.bytes());
  std::vector<std::byte> bytes(count * size);
  std::minstd_rand random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const auto code = static_cast<unsigned>(random() >> 8);
    if (sample.storage == Storage::f32) {
      const float value = static_cast<float>(code % 4096) / 4095.0F;
      std::memcpy(&bytes[i * size], &value, size);
    } else {
      const auto stored =
          static_cast<std::uint16_t>((code & static_cast<unsigned>(sample.max())) << sample.shift);
      std::memcpy(&bytes[i * size], &stored, size);  // little endian, or one byte of it
    }
  }
  return bytes;
}

Planes::Planes(Device device, SampleType sample, int width, int height, int pairs)
    : bytes_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
             static_cast<std::size_t>(sample.bytes())) {
  const std::ptrdiff_t stride = std::ptrdiff_t{width} * sample.bytes();
  const std::vector<std::byte> first =
      noise(sample, bytes_ / static_cast<std::size_t>(sample.bytes()), 1);
  for (int i = 0; i < pairs; ++i) {
    const Memory& src = memory_.emplace_back(device, bytes_);
    src.upload(first);
    const ConstBytePlane from{
        .data = src.data(), .stride = stride, .width = width, .height = height};
    const Memory& dst = memory_.emplace_back(device, bytes_);
    pairs_.push_back({from, from.at(dst.data())});
  }
  spoil();
}

std::vector<std::byte> Planes::source() const {
  std::vector<std::byte> bytes(bytes_);
  memory_[0].download(bytes);
  return bytes;
}

std::vector<std::byte> Planes::result() const {
  std::vector<std::byte> bytes(bytes_);
  memory_[1].download(bytes);
  return bytes;
}

void Planes::spoil() const {
  const std::vector<std::byte> bytes(bytes_, std::byte{0xA5});
  for (std::size_t i = 1; i < memory_.size(); i += 2) memory_[i].upload(bytes);
}

}  // namespace vidconv::bench
