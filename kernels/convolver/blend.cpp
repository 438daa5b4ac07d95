#include "kernels/convolver/blend.h"

#include "kernels/convolver/bands.h"

namespace vidconv {
namespace {

// Side by side, in bytes: what most samples are. (n + 127) / 255 is ((n + 128) + (n + 128) / 256) /
// 256 for all n up to 255 * 255, and fits 16 bits: a quarter of the time.
void blend_bytes(const std::uint8_t* __restrict filtered, std::uint8_t* __restrict picture,
                 const std::uint8_t* __restrict weights, int count) {
  const auto word = [](int n) { return static_cast<std::uint16_t>(n); };
  for (int i = 0; i < count; ++i) {
    const int weight = weights[i];
    const std::uint16_t sum =
        word(word(picture[i] * word(255 - weight)) + word(filtered[i] * weight) + 128);
    picture[i] = static_cast<std::uint8_t>(word(sum + (sum >> 8)) >> 8);
  }
}

template <class T>
void blend_row(const Plane<const T>& filtered, const Plane<T>& picture, const std::uint8_t* weights,
               int y, int shift) {
  const T* from = filtered.row(y);
  T* to = picture.row(y);
  for (int x = 0; x < picture.width; ++x, from += filtered.step, to += picture.step) {
    if (weights[x] == 0) continue;
    if constexpr (std::is_same_v<T, float>)
      *to = blended(*to, *from, weights[x]);
    else
      *to = static_cast<T>(
          blended(static_cast<T>(*to >> shift), static_cast<T>(*from >> shift), weights[x])
          << shift);
  }
}

}  // namespace

void blend(ThreadPool& pool, const ConstBytePlane& filtered, const BytePlane& picture,
           const Plane<const std::uint8_t>& weights, const SampleType& sample) {
  const PlanePair pair{filtered, picture};
  for_rows(pool, {&pair, 1}, [&](const PlanePair& planes, int y) {
    const std::uint8_t* row = weights.row(y);
    if (sample.storage == Storage::f32)
      blend_row(planes.src.as<const float>(), planes.dst.as<float>(), row, y, 0);
    else if (sample.storage == Storage::u16)
      blend_row(planes.src.as<const std::uint16_t>(), planes.dst.as<std::uint16_t>(), row, y,
                sample.shift);
    else if (planes.src.step == 1 && planes.dst.step == 1 && sample.shift == 0)
      blend_bytes(planes.src.as<const std::uint8_t>().row(y), planes.dst.as<std::uint8_t>().row(y),
                  row, planes.dst.width);
    else
      blend_row(planes.src.as<const std::uint8_t>(), planes.dst.as<std::uint8_t>(), row, y,
                sample.shift);
  });
}

}  // namespace vidconv
