// study-cuda-shape-WxH: taps in constant memory, samples in a tile of shared memory, and the shape
// of the block left free. Wide blocks read whole rows of global memory and have no bank conflicts;
// square ones have the smallest apron; large ones keep fewer blocks on a multiprocessor. Only a
// measurement says which counts most: that is what the shapes are for.
#include "kernels/study/cuda/constant.cuh"
#include "kernels/study/cuda/tile.cuh"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

template <class T>
__global__ void shape_kernel(const __grid_constant__ Work<T> work,
                             const __grid_constant__ ConstantTaps<T> taps) {
  extern __shared__ float shared[];
  auto* const tile = reinterpret_cast<Sum<T>*>(shared);
  const int width = static_cast<int>(blockDim.x), height = static_cast<int>(blockDim.y);
  const TileShape shape = tile_shape(work.lesson, width, height);
  const int left = static_cast<int>(blockIdx.x) * width - work.lesson.reach.left;
  const int top = static_cast<int>(blockIdx.y) * height - work.lesson.reach.above;
  for (int j = static_cast<int>(threadIdx.y); j < shape.height; j += height)
    for (int i = static_cast<int>(threadIdx.x); i < shape.width; i += width)
      tile[j * shape.width + i] = sample_at(work.src, work.lesson, left + i, top + j);
  __syncthreads();

  const int x = thread_x(), y = thread_y();
  if (!inside(work.dst, x, y)) return;
  const auto tap = [&](int i) { return taps.values[i]; };
  store(work.dst, x, y, output_from_tile<T>(work.lesson, x, y, tap, tile, shape.width, left, top));
}

template <class T>
class Shape {
 public:
  Shape(const Plan& plan, int width, int height)
      : taps_(plan, Prefer::dense), width_(width), height_(height) {}

  void launch(const Work<T>& work, cudaStream_t stream) {
    const dim3 block(static_cast<unsigned>(width_), static_cast<unsigned>(height_));
    const int bytes =
        tile_shape(work.lesson, width_, height_).samples() * static_cast<int>(sizeof(Sum<T>));
    shape_kernel<<<grid_for(work.dst.width, work.dst.height, block), block, bytes, stream>>>(work,
                                                                                             taps_);
    check_launch("study-cuda-shape");
  }

 private:
  ConstantTaps<T> taps_;
  int width_, height_;
};

}  // namespace

bool supports_cuda_shape(const Plan& plan, int width, int height) {
  return supports_any(plan) && fits_constant(plan, Prefer::dense) && tile_fits(plan, width, height);
}

std::unique_ptr<Convolver> make_cuda_shape(const Plan& plan, int width, int height) {
  return make_on_cuda<Shape>(plan, Prefer::dense, plan, width, height);
}

}  // namespace vidconv::study
