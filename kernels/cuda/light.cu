// Linear light on a CUDA device: a thread a sample. The knots of the curve, 40 to 150 KB, stay in
// the caches.
#include "kernels/cuda/check.h"
#include "kernels/cuda/device_array.h"
#include "kernels/light/light_math.h"

namespace vidconv {
namespace {

constexpr int lanes = 32, rows = 8;  // of a block

dim3 blocks_for(const BytePlane& plane) {
  return dim3(static_cast<unsigned>((plane.width + lanes - 1) / lanes),
              static_cast<unsigned>((plane.height + rows - 1) / rows));
}

__device__ inline int sample_x() { return static_cast<int>(blockIdx.x * lanes + threadIdx.x); }
__device__ inline int sample_y() { return static_cast<int>(blockIdx.y * rows + threadIdx.y); }

template <class T, ColourModel model>
__global__ void __launch_bounds__(lanes* rows)
    to_light_kernel(const __grid_constant__ LightMath math, const __grid_constant__ LightPlanes p) {
  const int x = sample_x(), y = sample_y();
  if (x < p.dst[0].width && y < p.dst[0].height) to_light<T, model>(math, p, x, y);
}

template <class T, ColourModel model>
__global__ void __launch_bounds__(lanes* rows)
    to_codes_kernel(const __grid_constant__ LightMath math, const __grid_constant__ LightPlanes p) {
  const int x = sample_x(), y = sample_y();
  if (x < p.dst[0].width && y < p.dst[0].height) to_codes<T, model>(math, p, x, y);
}

template <class T>
__global__ void __launch_bounds__(lanes* rows)
    to_chroma_codes_kernel(const __grid_constant__ LightMath math,
                           const __grid_constant__ LightPlanes p) {
  const int x = sample_x(), y = sample_y();
  if (x < p.dst[1].width && y < p.dst[1].height) to_chroma_codes<T>(math, p, x, y);
}

template <class T, ColourModel model>
class CudaLight final : public Convolver {
 public:
  CudaLight(const LightPlan& plan, LightStep step)
      : step_(step),
        table_(make_curve(plan.transfer, step)),
        knots_(std::span<const float>(table_.knots)),
        math_(make_light_math(plan, table_.over(knots_.data()))) {}

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    const LightPlanes planes = light_planes(pairs);
    const dim3 block(lanes, rows);
    if (step_ == LightStep::to_light) {
      to_light_kernel<T, model><<<blocks_for(planes.dst[0]), block, 0, stream>>>(math_, planes);
      cuda::check_launch("cuda-light");
      return;
    }
    to_codes_kernel<T, model><<<blocks_for(planes.dst[0]), block, 0, stream>>>(math_, planes);
    cuda::check_launch("cuda-light");
    if constexpr (model == ColourModel::yuv) {
      to_chroma_codes_kernel<T><<<blocks_for(planes.dst[1]), block, 0, stream>>>(math_, planes);
      cuda::check_launch("cuda-light");
    }
  }

 private:
  const LightStep step_;
  const CurveTable table_;
  const cuda::DeviceArray<float> knots_;
  const LightMath math_;
};

}  // namespace

std::unique_ptr<Convolver> make_cuda_light(const LightPlan& plan, LightStep step) {
  return with_light_types(plan, [&]<class T, ColourModel model>() -> std::unique_ptr<Convolver> {
    return std::make_unique<CudaLight<T, model>>(plan, step);
  });
}

}  // namespace vidconv
