// study-cuda-row, study-cuda-column and study-cuda-row-tiled: convolution in one dimension, where
// courses begin. A thread computes one sample; ghost cells beyond the ends are whatever the border
// says. A row of threads over a row of samples reads neighbours; over a column it still does,
// because neighbours in the warp are neighbours in x: both are coalesced.
//
// Tiled, a block of 256 threads loads 256 samples and the halo of both sides into shared memory
// once, and each is read from there as many times as there are taps.
#include "kernels/study/cuda/on_cuda.cuh"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

constexpr int block_width = 256;

template <class T>
__global__ void line_kernel(const __grid_constant__ Work<T> work, bool along_row) {
  const int x = thread_x(), y = thread_y();
  if (!inside(work.dst, x, y)) return;
  const Matrix& m = work.lesson.matrices[0];
  const auto tap = [&](int i) { return __ldg(work.taps + i); };
  Sum<T> sum = 0;
  if (along_row) {
    sum = dot<Sum<T>>(m.width, tap, [&](int i) {
      return sample_at(work.src, work.lesson, x - m.anchor_x + i, y);
    });
  } else {
    // A matrix one column wide has a sum of its own for each row: products are rounded before they
    // are added (docs/numerics.md), where along a row both is one operation.
    for (int j = 0; j < m.height; ++j) {
      const auto sample =
          static_cast<Sum<T>>(sample_at(work.src, work.lesson, x, y - m.anchor_y + j));
      sum = sum + multiply_add(tap(j), sample, Sum<T>(0));
    }
  }
  store(work.dst, x, y, finish<T>(work.lesson.finish, &sum, 1));
}

template <class T>
__global__ void tiled_kernel(const __grid_constant__ Work<T> work) {
  extern __shared__ float shared[];
  auto* const tile = reinterpret_cast<Sum<T>*>(shared);
  const Matrix& m = work.lesson.matrices[0];
  const int x = thread_x(), y = thread_y(), me = static_cast<int>(threadIdx.x);
  const int left = static_cast<int>(blockIdx.x) * block_width - m.anchor_x;
  for (int i = me; i < block_width + m.width - 1; i += block_width)
    tile[i] = sample_at(work.src, work.lesson, left + i, y);
  __syncthreads();
  if (!inside(work.dst, x, y)) return;
  const Sum<T> sum = dot<Sum<T>>(
      m.width, [&](int i) { return __ldg(work.taps + i); }, [&](int i) { return tile[me + i]; });
  store(work.dst, x, y, finish<T>(work.lesson.finish, &sum, 1));
}

template <class T>
class Line {
 public:
  explicit Line(bool along_row) : along_row_(along_row) {}

  void launch(const Work<T>& work, cudaStream_t stream) {
    const dim3 block(block_width);
    line_kernel<<<grid_for(work.dst.width, work.dst.height, block), block, 0, stream>>>(work,
                                                                                        along_row_);
    check_launch("study-cuda-row or -column");
  }

 private:
  bool along_row_;
};

template <class T>
struct Tiled {
  void launch(const Work<T>& work, cudaStream_t stream) {
    const dim3 block(block_width);
    const int bytes =
        (block_width + work.lesson.matrices[0].width - 1) * static_cast<int>(sizeof(Sum<T>));
    tiled_kernel<<<grid_for(work.dst.width, work.dst.height, block), block, bytes, stream>>>(work);
    check_launch("study-cuda-row-tiled");
  }
};

bool one_line(const Plan& plan) {
  return supports_any(plan) && plan.terms.size() == 1 && !plan.terms[0].dense.empty();
}

}  // namespace

bool supports_cuda_row(const Plan& plan) { return one_line(plan) && plan.terms[0].height == 1; }
bool supports_cuda_column(const Plan& plan) { return one_line(plan) && plan.terms[0].width == 1; }

std::unique_ptr<Convolver> make_cuda_row(const Plan& plan, int) {
  return make_on_cuda<Line>(plan, Prefer::dense, true);
}
std::unique_ptr<Convolver> make_cuda_column(const Plan& plan, int) {
  return make_on_cuda<Line>(plan, Prefer::dense, false);
}
std::unique_ptr<Convolver> make_cuda_row_tiled(const Plan& plan, int) {
  return make_on_cuda<Tiled>(plan, Prefer::dense);
}

}  // namespace vidconv::study
