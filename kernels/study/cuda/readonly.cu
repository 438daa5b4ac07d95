// study-cuda-readonly: study-cuda-global with the promise, by `const __restrict__` and __ldg(),
// that nobody writes what is read. The loads may then take the read-only path of the L1 cache,
// which older GPUs reserved for textures; since Volta one cache serves both and little is gained.
#include "kernels/study/cuda/on_cuda.cuh"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

template <class T>
__global__ void readonly_kernel(const __grid_constant__ Work<T> work,
                                const Sum<T>* __restrict__ taps) {
  const int x = thread_x(), y = thread_y();
  if (!inside(work.dst, x, y)) return;
  const auto tap = [&](int i) { return __ldg(taps + i); };
  const auto read = [&](int u, int v) {
    const int column = border_index(work.lesson.border, u, work.src.width);
    const int row = border_index(work.lesson.border, v, work.src.height);
    if (column < 0 || row < 0) return static_cast<T>(work.lesson.outside);
    return __ldg(work.src.row(row) + static_cast<std::ptrdiff_t>(column) * work.src.step);
  };
  store(work.dst, x, y, output<T, Sum<T>>(work.lesson, x, y, tap, read));
}

template <class T>
struct ReadOnly {
  void launch(const Work<T>& work, cudaStream_t stream) {
    const dim3 block(16, 16);
    readonly_kernel<<<grid_for(work.dst.width, work.dst.height, block), block, 0, stream>>>(
        work, work.taps);
    check_launch("study-cuda-readonly");
  }
};

}  // namespace

std::unique_ptr<Convolver> make_cuda_readonly(const Plan& plan, int) {
  return make_on_cuda<ReadOnly>(plan, Prefer::dense);
}

}  // namespace vidconv::study
