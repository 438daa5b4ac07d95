// study-cuda-separable-flat: the two passes, optimised. Tiles are flat arrays read by warps 32
// words wide, without bank conflicts; taps lie in constant memory; and each thread computes eight
// samples, so that the apron is loaded once for eight times as many outputs: at radius 8, 16
// columns beside 256 in the row pass instead of beside 16.
#include "kernels/study/cuda/constant.cuh"
#include "kernels/study/cuda/passes.cuh"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

constexpr int lanes = 32, warps = 8;
constexpr int each = 8;                    // samples that a thread computes
constexpr int row_tile = lanes * each;     // columns of a block of the row pass
constexpr int column_tile = warps * each;  // rows of a block of the column pass

template <class T>
__global__ void flat_row_kernel(const __grid_constant__ Work<T> work,
                                const __grid_constant__ ConstantTaps<T> taps, Between<T> between) {
  extern __shared__ float shared[];
  const Matrix& m = work.lesson.matrices[0];
  const int pitch = row_tile + m.width - 1;
  auto* const row = reinterpret_cast<Sum<T>*>(shared) + static_cast<int>(threadIdx.y) * pitch;
  const int x0 = static_cast<int>(blockIdx.x) * row_tile, y = thread_y();
  const int lane = static_cast<int>(threadIdx.x);
  if (y < work.dst.height)
    for (int i = lane; i < pitch; i += lanes)
      row[i] = sample_at(work.src, work.lesson, x0 - m.anchor_x + i, y);
  __syncthreads();
  if (y >= work.dst.height) return;

  Sum<T> sums[each] = {};
  for (int i = 0; i < m.width; ++i)
#pragma unroll
    for (int k = 0; k < each; ++k)  // adjacent samples belong to adjacent lanes
      sums[k] = multiply_add(taps.values[i], row[k * lanes + lane + i], sums[k]);
#pragma unroll
  for (int k = 0; k < each; ++k)
    if (const int x = x0 + k * lanes + lane; x < work.dst.width)
      between.sums[static_cast<std::ptrdiff_t>(y) * work.dst.width + x] =
          between_passes(sums[k], m.row_shift);
}

template <class T>
__global__ void flat_column_kernel(const __grid_constant__ Work<T> work,
                                   const __grid_constant__ ConstantTaps<T> taps,
                                   Between<T> between) {
  extern __shared__ float shared[];
  auto* const tile = reinterpret_cast<Sum<T>*>(shared);
  const Matrix& m = work.lesson.matrices[0];
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int x = thread_x(), y0 = static_cast<int>(blockIdx.y) * column_tile;
  if (x < work.dst.width)
    for (int j = warp; j < column_tile + m.height - 1; j += warps)
      tile[j * lanes + lane] = between.at(work, x, y0 - m.anchor_y + j);
  __syncthreads();
  if (x >= work.dst.width) return;

  Sum<T> sums[each] = {};
  for (int j = 0; j < m.height; ++j)
#pragma unroll
    for (int k = 0; k < each; ++k)
      sums[k] = multiply_add(taps.values[m.width + j], tile[(k * warps + warp + j) * lanes + lane],
                             sums[k]);
#pragma unroll
  for (int k = 0; k < each; ++k)
    if (const int y = y0 + k * warps + warp; y < work.dst.height)
      store(work.dst, x, y, finish_one<T>(work.lesson, sums[k]));
}

int row_bytes(int taps) { return (row_tile + taps - 1) * warps * 4; }
int column_bytes(int taps) { return (column_tile + taps - 1) * lanes * 4; }

template <class T>
class SeparableFlat : Passes<T> {
 public:
  explicit SeparableFlat(const Plan& plan) : Passes<T>(plan), taps_(plan, Prefer::two_passes) {}

  void launch(const Work<T>& work, cudaStream_t stream) {
    const Between<T> between = this->between(work);
    const Matrix& m = work.lesson.matrices[0];
    const dim3 block(lanes, warps);
    const int width = work.dst.width, height = work.dst.height;
    flat_row_kernel<<<grid_for((width + each - 1) / each, height, block), block, row_bytes(m.width),
                      stream>>>(work, taps_, between);
    check_launch("study-cuda-separable-flat, rows");
    flat_column_kernel<<<grid_for(width, (height + each - 1) / each, block), block,
                         column_bytes(m.height), stream>>>(work, taps_, between);
    check_launch("study-cuda-separable-flat, columns");
  }

 private:
  ConstantTaps<T> taps_;
};

}  // namespace

bool supports_cuda_separable_flat(const Plan& plan) {
  return supports_rank_1(plan) && fits_constant(plan, Prefer::two_passes) &&
         row_bytes(plan.terms[0].width) <= shared_bytes &&
         column_bytes(plan.terms[0].height) <= shared_bytes;
}

std::unique_ptr<Convolver> make_cuda_separable_flat(const Plan& plan, int) {
  return make_on_cuda<SeparableFlat>(plan, Prefer::two_passes, plan);
}

}  // namespace vidconv::study
