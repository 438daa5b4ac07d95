// study-cuda-global: the naive loops with a thread for each sample instead of the two outer loops.
// Samples and taps are read from global memory each time they are needed: a sample by as many
// threads as there are taps, a tap by every thread; so each multiply-add takes two loads. Only the
// caches make it bearable: neighbours in a warp read neighbours in memory.
#include "kernels/study/cuda/on_cuda.cuh"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

template <class T>
__global__ void global_kernel(const __grid_constant__ Work<T> work) {
  const int x = thread_x(), y = thread_y();
  if (!inside(work.dst, x, y)) return;
  const auto tap = [&](int i) { return work.taps[i]; };
  const auto read = [&](int u, int v) { return sample_at(work.src, work.lesson, u, v); };
  store(work.dst, x, y, output<T, Sum<T>>(work.lesson, x, y, tap, read));
}

template <class T>
struct Global {
  void launch(const Work<T>& work, cudaStream_t stream) { launch_global(work, stream); }
};

}  // namespace

template <class T>
void launch_global(const Work<T>& work, cudaStream_t stream) {
  const dim3 block(16, 16);
  global_kernel<<<grid_for(work.dst.width, work.dst.height, block), block, 0, stream>>>(work);
  check_launch("study-cuda-global");
}
template void launch_global(const Work<std::uint8_t>&, cudaStream_t);
template void launch_global(const Work<float>&, cudaStream_t);

std::unique_ptr<Convolver> make_cuda_global(const Plan& plan, int) {
  return make_on_cuda<Global>(plan, Prefer::dense);
}

}  // namespace vidconv::study
