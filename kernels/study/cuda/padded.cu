// study-cuda-padded: the border is written down once, so that no pass tests for it. The first
// kernel copies the plane into an array larger by the apron on all four sides; the row pass runs
// over all of its rows, also those above and below the picture, into an array padded in height; the
// column pass reads that. This costs one more pass over memory, and frees the loops of both passes
// from a branch.
//
// Both arrays need their padding: whoever pads the input alone, or leaves the rows of sums outside
// the picture unwritten, is right inside and wrong at the edge.
#include "kernels/study/cuda/passes.cuh"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

// The arrays' shapes. Sample (x, y) of the picture is at (x + left, y + top).
struct Padding {
  int left, top, width, height;
};

template <class T>
__global__ void pad_kernel(const __grid_constant__ Work<T> work, Sum<T>* padded, Padding p) {
  const int x = thread_x(), y = thread_y();
  if (x < p.width && y < p.height)
    padded[static_cast<std::ptrdiff_t>(y) * p.width + x] =
        sample_at(work.src, work.lesson, x - p.left, y - p.top);
}

template <class T>
__global__ void padded_row_kernel(const __grid_constant__ Work<T> work, const Sum<T>* padded,
                                  Sum<T>* sums, Padding p) {
  const int x = thread_x(), y = thread_y();
  if (x >= work.dst.width || y >= p.height) return;
  const Matrix& m = work.lesson.matrices[0];
  const Sum<T>* const from = padded + static_cast<std::ptrdiff_t>(y) * p.width + x;
  const Sum<T> sum = dot<Sum<T>>(
      m.width, [&](int i) { return __ldg(work.taps + i); }, [&](int i) { return from[i]; });
  sums[static_cast<std::ptrdiff_t>(y) * work.dst.width + x] = between_passes(sum, m.row_shift);
}

template <class T>
__global__ void padded_column_kernel(const __grid_constant__ Work<T> work, const Sum<T>* sums) {
  const int x = thread_x(), y = thread_y();
  if (!inside(work.dst, x, y)) return;
  const Matrix& m = work.lesson.matrices[0];
  const std::ptrdiff_t pitch = work.dst.width;
  const Sum<T>* const from = sums + y * pitch + x;
  const Sum<T> sum = dot<Sum<T>>(
      m.height, [&](int j) { return __ldg(work.taps + m.width + j); },
      [&](int j) { return from[j * pitch]; });
  store(work.dst, x, y, finish_one<T>(work.lesson, sum));
}

template <class T>
class Padded {
 public:
  void launch(const Work<T>& work, cudaStream_t stream) {
    const Matrix& m = work.lesson.matrices[0];
    const Padding p{m.anchor_x, m.anchor_y, work.dst.width + m.width - 1,
                    work.dst.height + m.height - 1};
    const auto rows = static_cast<std::size_t>(p.height);
    auto* const padded = padded_.reserve<Sum<T>>(rows * static_cast<std::size_t>(p.width));
    auto* const sums = sums_.reserve<Sum<T>>(rows * static_cast<std::size_t>(work.dst.width));
    const dim3 block(32, 8);
    pad_kernel<<<grid_for(p.width, p.height, block), block, 0, stream>>>(work, padded, p);
    check_launch("study-cuda-padded, padding");
    padded_row_kernel<<<grid_for(work.dst.width, p.height, block), block, 0, stream>>>(work, padded,
                                                                                       sums, p);
    check_launch("study-cuda-padded, rows");
    padded_column_kernel<<<grid_for(work.dst.width, work.dst.height, block), block, 0, stream>>>(
        work, sums);
    check_launch("study-cuda-padded, columns");
  }

 private:
  Scratch padded_, sums_;
};

}  // namespace

std::unique_ptr<Convolver> make_cuda_padded(const Plan& plan, int) {
  return make_on_cuda<Padded>(plan, Prefer::two_passes);
}

}  // namespace vidconv::study
