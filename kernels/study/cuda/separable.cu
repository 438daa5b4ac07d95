// study-cuda-separable: a rank 1 kernel as a row pass and a column pass, each with a tile in shared
// memory whose apron lies on two sides only. Blocks of 16 x 16: in the row pass a tile's row may be
// any number of words long, so that the two rows of a warp meet in the same banks for some kernels.
#include "kernels/study/cuda/passes.cuh"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

constexpr int side = 16;

template <class T>
__global__ void row_kernel(const __grid_constant__ Work<T> work, Between<T> between) {
  extern __shared__ float shared[];
  auto* const tile = reinterpret_cast<Sum<T>*>(shared);
  const Matrix& m = work.lesson.matrices[0];
  const int pitch = side + m.width - 1;
  const int x = thread_x(), y = thread_y();
  const int left = static_cast<int>(blockIdx.x) * side - m.anchor_x;
  Sum<T>* const row = tile + static_cast<int>(threadIdx.y) * pitch;
  if (y < work.dst.height)
    for (int i = static_cast<int>(threadIdx.x); i < pitch; i += side)
      row[i] = sample_at(work.src, work.lesson, left + i, y);
  __syncthreads();
  if (!inside(work.dst, x, y)) return;
  const Sum<T> sum = dot<Sum<T>>(
      m.width, [&](int i) { return __ldg(work.taps + i); },
      [&](int i) { return row[static_cast<int>(threadIdx.x) + i]; });
  between.sums[static_cast<std::ptrdiff_t>(y) * work.dst.width + x] =
      between_passes(sum, m.row_shift);
}

template <class T>
__global__ void column_kernel(const __grid_constant__ Work<T> work, Between<T> between) {
  extern __shared__ float shared[];
  auto* const tile = reinterpret_cast<Sum<T>*>(shared);
  const Matrix& m = work.lesson.matrices[0];
  const int x = thread_x(), y = thread_y();
  const int top = static_cast<int>(blockIdx.y) * side - m.anchor_y;
  if (x < work.dst.width)
    for (int j = static_cast<int>(threadIdx.y); j < side + m.height - 1; j += side)
      tile[j * side + static_cast<int>(threadIdx.x)] = between.at(work, x, top + j);
  __syncthreads();
  if (!inside(work.dst, x, y)) return;
  const Sum<T> sum = dot<Sum<T>>(
      m.height, [&](int j) { return __ldg(work.taps + m.width + j); },
      [&](int j) {
        return tile[(static_cast<int>(threadIdx.y) + j) * side + static_cast<int>(threadIdx.x)];
      });
  store(work.dst, x, y, finish_one<T>(work.lesson, sum));
}

template <class T>
class Separable : Passes<T> {
 public:
  using Passes<T>::Passes;

  void launch(const Work<T>& work, cudaStream_t stream) {
    const Between<T> between = this->between(work);
    const Matrix& m = work.lesson.matrices[0];
    const dim3 block(side, side);
    const dim3 grid = grid_for(work.dst.width, work.dst.height, block);
    const auto bytes = [](int taps) {
      return (side + taps - 1) * side * static_cast<int>(sizeof(Sum<T>));
    };
    row_kernel<<<grid, block, bytes(m.width), stream>>>(work, between);
    check_launch("study-cuda-separable, rows");
    column_kernel<<<grid, block, bytes(m.height), stream>>>(work, between);
    check_launch("study-cuda-separable, columns");
  }
};

}  // namespace

std::unique_ptr<Convolver> make_cuda_separable(const Plan& plan, int) {
  return make_on_cuda<Separable>(plan, Prefer::two_passes, plan);
}

}  // namespace vidconv::study
