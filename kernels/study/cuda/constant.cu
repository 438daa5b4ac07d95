// study-cuda-constant: study-cuda-global with the taps in constant memory.
#include "kernels/study/cuda/constant.cuh"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

template <class T>
__global__ void constant_kernel(const __grid_constant__ Work<T> work,
                                const __grid_constant__ ConstantTaps<T> taps) {
  const int x = thread_x(), y = thread_y();
  if (!inside(work.dst, x, y)) return;
  const auto tap = [&](int i) { return taps.values[i]; };
  const auto read = [&](int u, int v) { return sample_at(work.src, work.lesson, u, v); };
  store(work.dst, x, y, output<T, Sum<T>>(work.lesson, x, y, tap, read));
}

template <class T>
class Constant {
 public:
  explicit Constant(const Plan& plan) : taps_(plan, Prefer::dense) {}

  void launch(const Work<T>& work, cudaStream_t stream) {
    const dim3 block(16, 16);
    constant_kernel<<<grid_for(work.dst.width, work.dst.height, block), block, 0, stream>>>(work,
                                                                                            taps_);
    check_launch("study-cuda-constant");
  }

 private:
  ConstantTaps<T> taps_;
};

}  // namespace

bool supports_cuda_constant(const Plan& plan) {
  return supports_any(plan) && fits_constant(plan, Prefer::dense);
}

std::unique_ptr<Convolver> make_cuda_constant(const Plan& plan, int) {
  return make_on_cuda<Constant>(plan, Prefer::dense, plan);
}

}  // namespace vidconv::study
