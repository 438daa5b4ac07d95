#include "tests/kernels/support/picture.h"

#include <cstring>
#include <random>

namespace vidconv::test {
namespace {

float noise_float(std::mt19937& random) {
  switch (random() % 8) {
    case 0:
      return static_cast<float>(random()) * 1e-45F;  // subnormal
    case 1:
      return -static_cast<float>(random() % 1000);
    default:
      return static_cast<float>(random() % 4096) / 4095.0F;
  }
}

}  // namespace

Picture::Picture(SampleType sample, int width, int height, Arrangement arrangement, unsigned seed)
    : sample_(sample) {
  const int bytes = sample.bytes();
  const int row = width * arrangement.step + arrangement.row_padding;
  bytes_.resize(static_cast<std::size_t>((row * height + 2 * arrangement.guard) * bytes));
  std::minstd_rand random(seed);
  for (std::byte& b : bytes_) b = static_cast<std::byte>(random() >> 8);
  plane_.stride = arrangement.bottom_up ? -row * bytes : row * bytes;
  plane_.width = width;
  plane_.height = height;
  plane_.step = arrangement.step;
  origin_ = (arrangement.guard + arrangement.component) * bytes;
  if (arrangement.bottom_up) origin_ += (height - 1) * row * bytes;
}

BytePlane Picture::plane() {
  BytePlane plane = plane_;
  plane.data = bytes_.data() + origin_;
  return plane;
}

ConstBytePlane Picture::plane() const { return plane_.at(bytes_.data() + origin_); }

std::byte* Picture::at(int x, int y) {
  return bytes_.data() + origin_ + y * plane_.stride +
         std::ptrdiff_t{x} * plane_.step * sample_.bytes();
}

void Picture::set(int x, int y, double code) {
  if (sample_.storage == Storage::f32) {
    const float value = static_cast<float>(code);
    std::memcpy(at(x, y), &value, sizeof value);
  } else {
    const unsigned stored = static_cast<unsigned>(code) << sample_.shift;
    if (sample_.storage == Storage::u8) {
      *at(x, y) = static_cast<std::byte>(stored);
    } else {
      const auto value = static_cast<std::uint16_t>(stored);
      std::memcpy(at(x, y), &value, sizeof value);
    }
  }
}

double Picture::get(int x, int y) const {
  const auto* from = const_cast<Picture*>(this)->at(x, y);
  if (sample_.storage == Storage::f32) {
    float value;
    std::memcpy(&value, from, sizeof value);
    return static_cast<double>(value);
  }
  if (sample_.storage == Storage::u8) return std::to_integer<int>(*from) >> sample_.shift;
  std::uint16_t value;
  std::memcpy(&value, from, sizeof value);
  return value >> sample_.shift;
}

void Picture::draw(Content content, unsigned seed) {
  std::mt19937 random(seed);
  const bool is_float = sample_.storage == Storage::f32;
  const double max = sample_.max();
  for (int y = 0; y < height(); ++y) {
    for (int x = 0; x < width(); ++x) {
      switch (content) {
        case Content::zeros:
          set(x, y, 0);
          break;
        case Content::full:
          set(x, y, max);
          break;
        case Content::checkerboard:
          set(x, y, (x + y) % 2 == 0 ? max : 0);
          break;
        case Content::black_and_white:
          set(x, y, random() % 2 == 0 ? max : 0);
          break;
        case Content::noise:
          set(x, y,
              is_float ? static_cast<double>(noise_float(random))
                       : static_cast<double>(random() % static_cast<unsigned>(max + 1)));
          break;
      }
    }
  }
}

std::vector<bool> sample_bytes(const Picture& picture) {
  std::vector<bool> mask(picture.bytes().size());
  const ConstBytePlane plane = picture.plane();
  const int size = picture.sample().bytes();
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x)
      for (int b = 0; b < size; ++b)
        mask[static_cast<std::size_t>(picture.origin() + y * plane.stride +
                                      std::ptrdiff_t{x} * plane.step * size + b)] = true;
  return mask;
}

}  // namespace vidconv::test
