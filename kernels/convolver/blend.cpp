#include "kernels/convolver/blend.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <type_traits>

#include "kernels/convolver/bands.h"
#include "kernels/convolver/thread_pool.h"
#include "kernels/picture/rect.h"

namespace vidconv {
namespace {

// The case of most samples, side by side and in bytes. (n + 127) / 255 is ((n + 128) + (n + 128) /
// 256) / 256 for all n up to 255 * 255; it fits 16 bits and takes a quarter of the time.
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
  for (int x = 0; x < picture.width; ++x, from += filtered.step, to += picture.step)
    if (weights[x] != 0) *to = blended_stored(*to, *from, weights[x], shift);
}

template <class T>
void replace_row(const Plane<const T>& filtered, const Plane<T>& picture, int y) {
  const T* from = filtered.row(y);
  T* to = picture.row(y);
  for (int x = 0; x < picture.width; ++x, from += filtered.step, to += picture.step) *to = *from;
}

class CpuBlender final : public Blender {
 public:
  CpuBlender(const SampleType& sample, int threads)
      : sample_(sample), pool_(shared_thread_pool(threads)) {}

  std::shared_ptr<const std::uint8_t> hold(std::span<const std::uint8_t> weights) const override {
    return {std::shared_ptr<const std::uint8_t>(), weights.data()};
  }

  void run(std::span<const Blend> blends, CudaStream) override {
    for (const Blend& blend : blends)
      for_rows(*pool_, {&blend.planes, 1}, [&](const PlanePair& planes, int y) {
        if (!blend.weights.data)
          replace(planes, y);
        else if (blend.level.number == 0)
          run_row(planes, blend.weights.row(y), y);
        else
          run_row_of_level(planes, blend.level, blend.weights.row(y), y);
      });
  }

 private:
  void run_row_of_level(const PlanePair& planes, const MapLevel& level, const std::uint8_t* values,
                        int y) const {
    std::array<std::uint8_t, 512> weights;
    constexpr auto most = static_cast<int>(weights.size());
    for (int x = 0; x < planes.dst.width; x += most) {
      const Rect some{x, y, std::min(most, planes.dst.width - x), 1};
      std::transform(values + x, values + some.right(), weights.begin(), [&](std::uint8_t value) {
        return static_cast<std::uint8_t>(level.weight_at(value));
      });
      run_row(
          {part_of(planes.src, some, sample_.bytes()), part_of(planes.dst, some, sample_.bytes())},
          weights.data(), 0);
    }
  }

  void replace(const PlanePair& planes, int y) const {
    if (sample_.storage == Storage::f32)
      replace_row(planes.src.as<const float>(), planes.dst.as<float>(), y);
    else if (sample_.storage == Storage::u16)
      replace_row(planes.src.as<const std::uint16_t>(), planes.dst.as<std::uint16_t>(), y);
    else
      replace_row(planes.src.as<const std::uint8_t>(), planes.dst.as<std::uint8_t>(), y);
  }

  void run_row(const PlanePair& planes, const std::uint8_t* weights, int y) const {
    const ConstBytePlane& from = planes.src;
    const BytePlane& to = planes.dst;
    if (sample_.storage == Storage::f32)
      blend_row(from.as<const float>(), to.as<float>(), weights, y, 0);
    else if (sample_.storage == Storage::u16)
      blend_row(from.as<const std::uint16_t>(), to.as<std::uint16_t>(), weights, y, sample_.shift);
    else if (from.step == 1 && to.step == 1 && sample_.shift == 0)
      blend_bytes(from.as<const std::uint8_t>().row(y), to.as<std::uint8_t>().row(y), weights,
                  to.width);
    else
      blend_row(from.as<const std::uint8_t>(), to.as<std::uint8_t>(), weights, y, sample_.shift);
  }

  const SampleType sample_;
  const std::shared_ptr<ThreadPool> pool_;
};

}  // namespace

std::unique_ptr<Blender> make_cpu_blender(const SampleType& sample, int threads) {
  return std::make_unique<CpuBlender>(sample, threads);
}

#ifndef VIDCONV_HAVE_CUDA
std::unique_ptr<Blender> make_cuda_blender(const SampleType&) {
  throw std::invalid_argument("this build has no CUDA");
}
#endif

}  // namespace vidconv
