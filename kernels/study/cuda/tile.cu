// study-cuda-tile: the textbook's tile. A block of 16 x 16 threads loads its 16 x 16 samples and
// the apron around them in 16 x 16 steps (four for a radius of 8), waits, and computes from shared
// memory.
//
// Its two faults are the lesson. With a radius of 8 the apron is three quarters of what is loaded.
// And a warp is two rows of 16 threads: where the tile's row is a multiple of 32 words long, as
// with that radius, both rows lie in the same banks, and each access takes two turns.
#include "kernels/study/cuda/tile.cuh"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

constexpr int tile_side = 16;

template <class T>
__global__ void tile_kernel(const __grid_constant__ Work<T> work) {
  extern __shared__ float shared[];
  auto* const tile = reinterpret_cast<Sum<T>*>(shared);
  const TileShape shape = tile_shape(work.lesson, tile_side, tile_side);
  const int left = static_cast<int>(blockIdx.x) * tile_side - work.lesson.reach.left;
  const int top = static_cast<int>(blockIdx.y) * tile_side - work.lesson.reach.above;
  for (int j = static_cast<int>(threadIdx.y); j < shape.height; j += tile_side)
    for (int i = static_cast<int>(threadIdx.x); i < shape.width; i += tile_side)
      tile[j * shape.width + i] = sample_at(work.src, work.lesson, left + i, top + j);
  __syncthreads();

  const int x = thread_x(), y = thread_y();
  if (!inside(work.dst, x, y)) return;
  const auto tap = [&](int i) { return __ldg(work.taps + i); };
  store(work.dst, x, y, output_from_tile<T>(work.lesson, x, y, tap, tile, shape.width, left, top));
}

template <class T>
struct Tile {
  void launch(const Work<T>& work, cudaStream_t stream) {
    const dim3 block(tile_side, tile_side);
    const int bytes =
        tile_shape(work.lesson, tile_side, tile_side).samples() * static_cast<int>(sizeof(Sum<T>));
    tile_kernel<<<grid_for(work.dst.width, work.dst.height, block), block, bytes, stream>>>(work);
    check_launch("study-cuda-tile");
  }
};

}  // namespace

bool supports_cuda_tile(const Plan& plan) {
  return supports_any(plan) && tile_fits(plan, tile_side, tile_side);
}

std::unique_ptr<Convolver> make_cuda_tile(const Plan& plan, int) {
  return make_on_cuda<Tile>(plan, Prefer::dense);
}

}  // namespace vidconv::study
