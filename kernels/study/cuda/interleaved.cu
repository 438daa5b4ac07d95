// study-cuda-interleaved: an array of structures against a structure of arrays. In a packed picture
// (RGBRGB...) a thread computes one pixel, all of its components; neighbours in the warp then read
// samples 3 or 4 apart, and each component is a walk of its own over the same bytes. Planes
// (RR..GG..BB..) are read without gaps, which is why planar pictures are the faster ones and why
// vidconv's own variants see components as planes with a step.
//
// Planes of unequal size or step are computed one by one, as in study-cuda-global.
#include "kernels/study/cuda/on_cuda.cuh"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

constexpr int most_components = 4;

template <class T>
struct Components {
  Plane<const T> src[most_components];
  Plane<T> dst[most_components];
  int count;
};

template <class T>
__global__ void interleaved_kernel(const __grid_constant__ Components<T> pixel,
                                   const __grid_constant__ Lesson lesson, const Sum<T>* taps) {
  const int x = thread_x(), y = thread_y();
  if (!inside(pixel.dst[0], x, y)) return;
  const auto tap = [&](int i) { return taps[i]; };
  for (int c = 0; c < pixel.count; ++c) {
    const auto read = [&](int u, int v) { return sample_at(pixel.src[c], lesson, u, v); };
    store(pixel.dst[c], x, y, output<T, Sum<T>>(lesson, x, y, tap, read));
  }
}

template <class T>
class Interleaved final : public Convolver {
 public:
  explicit Interleaved(const Plan& plan) : lesson_(make_lesson(plan, Prefer::dense)) {
    const std::vector<double> taps = lesson_taps(plan, Prefer::dense);
    taps_ =
        std::make_unique<cuda::DeviceArray<Sum<T>>>(std::vector<Sum<T>>(taps.begin(), taps.end()));
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    while (!pairs.empty()) {
      const std::size_t count = components_of_one_picture(pairs);
      Components<T> pixel{};
      for (const PlanePair& pair : pairs.first(count)) {
        pixel.src[pixel.count] = pair.src.as<const T>();
        pixel.dst[pixel.count++] = pair.dst.as<T>();
      }
      pairs = pairs.subspan(count);
      const dim3 block(16, 16);
      const dim3 grid = grid_for(pixel.dst[0].width, pixel.dst[0].height, block);
      if (grid.x == 0 || grid.y == 0) continue;
      interleaved_kernel<<<grid, block, 0, stream>>>(pixel, lesson_, taps_->data());
      check_launch("study-cuda-interleaved");
    }
  }

 private:
  // Returns how many of the first pairs are components of one interleaved picture.
  static std::size_t components_of_one_picture(std::span<const PlanePair> pairs) {
    const auto& first = pairs[0];
    std::size_t count = 1;
    while (count < std::min<std::size_t>(pairs.size(), most_components) && first.src.step > 1 &&
           pairs[count].src.step == first.src.step && pairs[count].dst.width == first.dst.width &&
           pairs[count].dst.height == first.dst.height)
      ++count;
    return count;
  }

  Lesson lesson_;
  std::unique_ptr<cuda::DeviceArray<Sum<T>>> taps_;
};

}  // namespace

std::unique_ptr<Convolver> make_cuda_interleaved(const Plan& plan, int) {
  if (plan.sample.storage == Storage::u8) return std::make_unique<Interleaved<std::uint8_t>>(plan);
  return std::make_unique<Interleaved<float>>(plan);
}

}  // namespace vidconv::study
