// study-cuda-block: one block of 32 x 32 threads and nothing else, the first step of a course.
// Block and picture coincide, so both passes and the sums between them stay in shared memory, and
// one __syncthreads() stands between them. No block has more than 1024 threads: larger planes are
// refused. One multiprocessor works while the others rest, and the time is mostly the launch's,
// whatever the radius.
#include <stdexcept>

#include "kernels/study/cuda/passes.cuh"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

template <class T>
__global__ void __launch_bounds__(single_block_side* single_block_side)
    block_kernel(const __grid_constant__ Work<T> work, Sum<T> outside) {
  __shared__ T samples[single_block_side][single_block_side];
  __shared__ Sum<T> sums[single_block_side][single_block_side];
  const Matrix& m = work.lesson.matrices[0];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const bool mine = inside(work.dst, x, y);
  const Plane<const T> whole{.data = &samples[0][0],
                             .stride = sizeof samples[0],
                             .width = work.dst.width,
                             .height = work.dst.height};
  if (mine) samples[y][x] = sample_at(work.src, work.lesson, x, y);
  __syncthreads();
  if (mine)
    sums[y][x] = between_passes(
        dot<Sum<T>>(
            m.width, [&](int i) { return __ldg(work.taps + i); },
            [&](int i) { return sample_at(whole, work.lesson, x - m.anchor_x + i, y); }),
        m.row_shift);
  __syncthreads();
  if (!mine) return;
  const Sum<T> sum = dot<Sum<T>>(
      m.height, [&](int j) { return __ldg(work.taps + m.width + j); },
      [&](int j) {
        const int v = border_index(work.lesson.border, y - m.anchor_y + j, work.dst.height);
        return v < 0 ? outside : sums[v][x];
      });
  store(work.dst, x, y, finish_one<T>(work.lesson, sum));
}

template <class T>
class SingleBlock : Passes<T> {
 public:
  using Passes<T>::Passes;

  void launch(const Work<T>& work, cudaStream_t stream) {
    if (work.dst.width > single_block_side || work.dst.height > single_block_side)
      throw std::invalid_argument("study-cuda-block: planes of at most 32 x 32 samples");
    block_kernel<<<1, dim3(single_block_side, single_block_side), 0, stream>>>(work,
                                                                               this->outside());
    check_launch("study-cuda-block");
  }
};

}  // namespace

std::unique_ptr<Convolver> make_cuda_block(const Plan& plan, int) {
  return make_on_cuda<SingleBlock>(plan, Prefer::two_passes, plan);
}

}  // namespace vidconv::study
