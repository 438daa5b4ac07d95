#include "tests/kernels/support/packed_pixels.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>

#include "kernels/convolver/packed.h"

namespace vidconv::test {
namespace {

// Returns the bytes between rows of `row` bytes.
int gap_behind(int row, int sample, unsigned seed) {
  return seed % 4 == 3 ? (16 - row % 16) % 16 : static_cast<int>(seed % 4) * sample;
}

}  // namespace

PackedPixels::PackedPixels(const SampleType& sample, int step, std::vector<int> places, int width,
                           int height, unsigned seed)
    : sample_(sample),
      step_(step),
      places_(std::move(places)),
      width_(width),
      height_(height),
      gap_(gap_behind(width * step * sample.bytes(), sample.bytes(), seed)) {
  const int least = std::ranges::min(places_), most = std::ranges::max(places_);
  for (int& place : places_) place -= least;
  row_ = ((width - 1) * step + most - least + 1) * sample.bytes();
  std::minstd_rand random(seed + 1);
  bytes_.resize(static_cast<std::size_t>((height - 1) * stride() + row_));
  bytes_.shrink_to_fit();
  // Samples are codes, or floats near 1; bits below codes, and bytes in between, are anything.
  for (std::byte& byte : bytes_) byte = static_cast<std::byte>(random() >> 8);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width * static_cast<int>(places_.size()); ++x) mend(x, y);
}

BytePlane PackedPixels::plane_at(std::size_t k, std::byte* bytes) const {
  return {.data = bytes + places_[k] * sample_.bytes(),
          .stride = stride(),
          .width = width_,
          .height = height_,
          .step = step_};
}

void PackedPixels::set_bytes(const std::vector<std::byte>& bytes) {
  std::ranges::copy(bytes, bytes_.begin());
}

// Makes a sample one of the type's: stored codes above the largest are no pictures.
void PackedPixels::mend(int x, int y) {
  const auto count = static_cast<int>(places_.size());
  std::byte* const at =
      bytes_.data() + y * stride() +
      (x / count * step_ + places_[static_cast<std::size_t>(x % count)]) * sample_.bytes();
  if (sample_.storage == Storage::u16) {
    std::uint16_t value = 0;
    std::memcpy(&value, at, sizeof value);
    value = static_cast<std::uint16_t>(value & (sample_.max() << sample_.shift | 1));
    if (sample_.shift == 0) value &= static_cast<std::uint16_t>(sample_.max());
    std::memcpy(at, &value, sizeof value);
  } else if (sample_.storage == Storage::f32) {
    const float value = static_cast<float>(std::to_integer<int>(*at)) / 200 - 0.1F;
    std::memcpy(at, &value, sizeof value);
  }
}

std::vector<int> all_places(int step, unsigned seed) {
  std::vector<int> places(static_cast<std::size_t>(step));
  std::iota(places.begin(), places.end(), 0);
  std::minstd_rand random(seed);
  std::ranges::shuffle(places, random);
  return places;
}

std::vector<int> some_places(int step, unsigned seed) {
  std::vector<int> places = all_places(step, seed);
  places.resize(std::min<std::size_t>(most_packed, 1 + seed % static_cast<unsigned>(step)));
  return places;
}

std::vector<PlanePair> packed_pairs(PackedPixels& from, PackedPixels& to, std::size_t count) {
  std::vector<PlanePair> pairs;
  for (std::size_t k = 0; k < count; ++k)
    pairs.push_back({from.plane(k).as<const std::byte>(), to.plane(k)});
  return pairs;
}

}  // namespace vidconv::test
