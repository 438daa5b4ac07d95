// Linear light on a CUDA device: a thread a sample. The knots of the curve, 40 to 150 KB, stay in
// the caches.
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device_array.h"
#include "kernels/light/light_math.h"

namespace vidconv {
namespace light_kernels {
namespace {

constexpr int lanes = 32, rows = 8;  // lanes and rows of a block

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
  if (x < p.dst[1].width && y < p.dst[1].height)
    to_chroma_codes<T>(math, p, x, y, [&](int u, int v) { return signals_at(math, p, u, v); });
}

// Makes all codes of a picture whose chroma is subsampled by these factors: the signals of a luma
// sample, which several chroma samples need, are made once.
template <class T, int sub_x, int sub_y>
__global__ void __launch_bounds__(lanes* rows)
    to_yuv_codes_kernel(const __grid_constant__ LightMath math,
                        const __grid_constant__ LightPlanes p) {
  static_assert(sub_x <= 2 && sub_y <= 2);
  constexpr int beside = 2;  // luma samples on each side that a chroma sample looks at
  constexpr int margin_x = sub_x == 2 ? beside : 0, most_y = sub_y == 2 ? beside : 0;
  constexpr int width = lanes * sub_x, height = rows * sub_y, pitch = width + 2 * margin_x;
  __shared__ Signals signals[(height + 2 * most_y) * pitch];
  const int margin_y = math.siting_y == Siting::first ? most_y : 0;
  const int x0 = static_cast<int>(blockIdx.x) * width - margin_x;
  const int y0 = static_cast<int>(blockIdx.y) * height - margin_y;
  const int count = (height + 2 * margin_y) * pitch;
  for (int i = static_cast<int>(threadIdx.y) * lanes + static_cast<int>(threadIdx.x); i < count;
       i += lanes * rows) {
    const int column = i % pitch, row = i / pitch, x = x0 + column, y = y0 + row;
    if (x < 0 || x >= p.dst[0].width || y < 0 || y >= p.dst[0].height) continue;
    const Signals s = signals_at(math, p, x, y);
    signals[i] = s;
    if (column >= margin_x && column < margin_x + width && row >= margin_y &&
        row < margin_y + height)
      put_luma_code<T>(math, p, 0, x, y, s.luma);
  }
  __syncthreads();
  const int x = sample_x(), y = sample_y();
  if (x < p.dst[1].width && y < p.dst[1].height)
    to_chroma_codes<T>(math, p, x, y,
                       [&](int u, int v) { return signals[(v - y0) * pitch + u - x0]; });
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
    if constexpr (model == ColourModel::yuv)
      if (const auto kernel = yuv_kernel()) {
        kernel<<<blocks_for(planes.dst[1]), block, 0, stream>>>(math_, planes);
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
  // Returns the kernel that makes luma and chroma together; null for the rare formats without one.
  auto yuv_kernel() const {
    void (*kernel)(LightMath, LightPlanes) = nullptr;
    if (math_.sub_x == 2 && math_.sub_y == 2) kernel = to_yuv_codes_kernel<T, 2, 2>;
    if (math_.sub_x == 2 && math_.sub_y == 1) kernel = to_yuv_codes_kernel<T, 2, 1>;
    if (math_.sub_x == 1 && math_.sub_y == 1) kernel = to_yuv_codes_kernel<T, 1, 1>;
    return kernel;
  }

  const LightStep step_;
  const CurveTable table_;
  const cuda::DeviceArray<float> knots_;
  const LightMath math_;
};

}  // namespace
}  // namespace light_kernels

std::unique_ptr<Convolver> make_cuda_light(const LightPlan& plan, LightStep step) {
  return with_light_types(plan, [&]<class T, ColourModel model>() -> std::unique_ptr<Convolver> {
    return std::make_unique<light_kernels::CudaLight<T, model>>(plan, step);
  });
}

}  // namespace vidconv
