// study-cuda-flat: the tile as one flat array, without bank conflicts. The block is 32 threads
// wide, so that a warp is one row: 32 neighbouring words lie in 32 banks, whatever the kernel's
// size. And threads load the tile by its flat index, neighbours in memory by neighbours in the
// warp, with none idle at the right edge of the apron.
#include "kernels/study/cuda/tile.cuh"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

constexpr int width = 32, height = 8;

template <class T>
__global__ void flat_kernel(const __grid_constant__ Work<T> work) {
  extern __shared__ float shared[];
  auto* const tile = reinterpret_cast<Sum<T>*>(shared);
  const TileShape shape = tile_shape(work.lesson, width, height);
  const int left = static_cast<int>(blockIdx.x) * width - work.lesson.reach.left;
  const int top = static_cast<int>(blockIdx.y) * height - work.lesson.reach.above;
  for (int i = static_cast<int>(threadIdx.y * width + threadIdx.x); i < shape.samples();
       i += width * height)
    tile[i] = sample_at(work.src, work.lesson, left + i % shape.width, top + i / shape.width);
  __syncthreads();

  const int x = thread_x(), y = thread_y();
  if (!inside(work.dst, x, y)) return;
  const auto tap = [&](int i) { return __ldg(work.taps + i); };
  store(work.dst, x, y, output_from_tile<T>(work.lesson, x, y, tap, tile, shape.width, left, top));
}

template <class T>
struct Flat {
  void launch(const Work<T>& work, cudaStream_t stream) {
    const dim3 block(width, height);
    const int bytes =
        tile_shape(work.lesson, width, height).samples() * static_cast<int>(sizeof(Sum<T>));
    flat_kernel<<<grid_for(work.dst.width, work.dst.height, block), block, bytes, stream>>>(work);
    check_launch("study-cuda-flat");
  }
};

}  // namespace

bool supports_cuda_flat(const Plan& plan) {
  return supports_any(plan) && tile_fits(plan, width, height);
}

std::unique_ptr<Convolver> make_cuda_flat(const Plan& plan, int) {
  return make_on_cuda<Flat>(plan, Prefer::dense);
}

}  // namespace vidconv::study
